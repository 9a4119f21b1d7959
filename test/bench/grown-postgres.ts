/**
 * Fills a new Postgres around the data layer, by files that the server reads itself; counters and sums are
 * made afterwards.
 */
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SQL } from "bun";
import { migrations } from "../../db/engine/migrate.ts";
import type { EventKind, EventRow } from "../../src/feed/schema.ts";
import { searchableEventKinds } from "../../src/memory/schema.ts";
import type { RunState } from "../../src/runs/fold.ts";
import {
  columns,
  filledAtOnce,
  GrownRuns,
  grams,
  learnt,
  rowOf,
  runColumns,
  runValues,
  termsOf,
  timeOf,
} from "./grown.ts";

/** @param url of a server on this machine, with a role that may let it read files */
export async function fillPostgres(url: string, count: number): Promise<void> {
  const sql = new SQL(url, { max: 1 });
  // Made once of all rows, instead of with each of them.
  const indexes: { name: string; statement: string }[] = await sql`
    select indexname as name, indexdef as statement from pg_indexes
    where tablename in ('events', 'event_terms', 'runs') and indexdef not like '%UNIQUE%'`;
  for (const { name } of indexes) await sql.unsafe(`drop index ${name}`);
  const runs = new GrownRuns();
  const copyRuns = (states: RunState[]) =>
    copy(sql, `runs (${runColumns.join(", ")})`, states.map(runValues));
  for (let first = 0; first < count; first += filledAtOnce) {
    const rows = Array.from({ length: Math.min(filledAtOnce, count - first) }, (_, index) =>
      rowOf(first + index, count),
    );
    await copy(
      sql,
      `events (${columns.join(", ")})`,
      rows.map((row) => columns.map((column) => row[column])),
    );
    const recalled = rows.filter((row) => searchableEventKinds.has(row.kind as EventKind));
    await copy(
      sql,
      "event_terms (id, terms)",
      recalled.map((row) => [row.id, vectorOf(termsOf(row.summary as string))]),
    );
    await copyRuns(rows.flatMap((row) => runs.add(row as unknown as EventRow) ?? []));
  }
  await copyRuns(runs.rest());
  await copy(
    sql,
    "words (form)",
    learnt.map((form) => [form]),
  );
  await copy(sql, "word_grams (gram, form)", grams);
  for (const { statement } of indexes) await sql.unsafe(statement);
  for (const statement of listing) await sql.unsafe(statement);
  await sql`update feed_head set id = ${count}, ts = ${timeOf(count - 1)}, listed = ${count}, derived = ${count}`;
  await sql.close();
}

/** What lists the events of a log that an older program left. */
const listing = migrations.postgres.find(({ name }) => name === "0005_facets")?.statements.slice(-2) ?? [];

async function copy(sql: SQL, into: string, rows: unknown[][]): Promise<void> {
  const path = join(tmpdir(), `svc-bench-${crypto.randomUUID()}.tsv`);
  try {
    await Bun.write(path, rows.map((row) => `${row.map(cellOf).join("\t")}\n`).join(""));
    await sql.unsafe(`copy ${into} from '${path}'`);
  } finally {
    await rm(path, { force: true });
  }
}

const escapes: Record<string, string> = { "\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r" };
const cellOf = (value: unknown): string =>
  value === null ? "\\N" : String(value).replace(/[\\\t\n\r]/g, (one) => escapes[one] as string);

/** Its terms with their places, as the data layer keeps them. */
function vectorOf(terms: string): string {
  const places = Map.groupBy(terms.split(" ").entries(), ([, term]) => term);
  return [...places]
    .map(([term, entries]) => `'${term}':${entries.map(([index]) => index + 1).join(",")}`)
    .join(" ");
}
