/** Fills a new Postgres around the appends of the data layer, by files that the server reads itself. */
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SQL } from "bun";
import type { Data } from "../../../src/api/port.ts";
import type { RunState } from "../../../src/feed/runs/fold.ts";
import type { EventRow } from "../../../src/feed/schema.ts";
import { columns } from "../measuring/events.ts";
import {
  filledAtOnce,
  LongLogRuns,
  moveDerived,
  moveHead,
  rowOf,
  runColumns,
  runValues,
  timeOf,
} from "./long-log.ts";

/** @param data of the same database @param url of a server on this machine, which may read its files */
export async function fillPostgres(data: Data, url: string, count: number): Promise<void> {
  const sql = new SQL(url, { max: 1 });
  // Made once of all rows, instead of with each of them.
  const indexes: { name: string; statement: string }[] = await sql`
    select indexname as name, indexdef as statement from pg_indexes
    where tablename in ('events', 'runs') and indexdef not like '%UNIQUE%'`;
  for (const { name } of indexes) await sql.unsafe(`drop index ${name}`);
  const runs = new LongLogRuns();
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
    await copyRuns(rows.flatMap((row) => runs.add(row as unknown as EventRow) ?? []));
  }
  await copyRuns(runs.rest());
  for (const { statement } of indexes) await sql.unsafe(statement);
  for (let first = 0; first < count; first += filledAtOnce) {
    const end = Math.min(count, first + filledAtOnce);
    await sql.unsafe(numbered(moveHead), [end, timeOf(end - 1)]);
    await data.rebuildDerivedRows([]);
    await sql.unsafe(numbered(moveDerived), [first]);
    await data.rebuildDerivedRows([]);
  }
  await sql.close();
  await data.rebuildDerivedRows(["counters", "issues"]);
}

/** The statement with the placeholders of Postgres. */
function numbered(statement: string): string {
  let count = 0;
  return statement.replaceAll("?", () => `$${++count}`);
}

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
