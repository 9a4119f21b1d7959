/**
 * Fills a new Postgres by statements that generate the rows in the server, and makes the indexes once all rows
 * are there. Two connections each fill a table or a partition at a time, in a transaction that creates or empties
 * it first: so its rows are not written to the log of Postgres as well (`wal_level = minimal`).
 */
import { SQL, type TransactionSQL } from "bun";
import type { Data } from "../../../src/api/port.ts";
import { dayMicros, type Micros } from "../../../src/core/lib/time.ts";
import { apartOf, firstAt, phrases, projectCount, slugOf, timeOf } from "./long-log.ts";
import * as rows from "./long-log-sql.ts";

type Insert = (events: string) => string;
type Filled = readonly [table: string, insert: Insert];

interface Range {
  first: number;
  until: number;
}

/** Appends an event of each project and phrase, whose terms and words the others share. */
export async function appendSamples(data: Data): Promise<void> {
  const events = Array.from({ length: projectCount }, (_, number) =>
    phrases.flatMap((phrase) =>
      ["", ", as the heliograph reported"].map((rest) => ({
        ...{ ts: firstAt, kind: "run.finished" as const, actor: "agent:sampler", project: slugOf(number) },
        summary: `${phrase} for #${rows.sampledIssue}${rest}`,
      })),
    ),
  );
  for (const batch of events) await data.atomically((writes) => writes.append(batch));
  await data.rebuildDerivedRows([]); // the rows that appends leave for later
}

/** @param url of a database that has samples. It has to be opened again: svc derives the tasks then. */
export async function fillPostgres(url: string, count: number): Promise<void> {
  await using sql = new SQL(url, { max: 2, idleTimeout: 0 });
  const [{ isPartitioned }] = await sql`
    select relkind = 'p' as "isPartitioned" from pg_class where oid = 'events'::regclass`;
  for (const statement of rows.prepare) await sql.unsafe(statement);
  const chunks = chunksOf({ first: 0, until: count }, count);
  const log: Insert = (events) => rows.insertEvents("events", events);
  const derived: Filled[] = [
    ...(isPartitioned ? [["event_keys", rows.insertKeys] as const] : []),
    ["facet_events", rows.insertFacetEvents],
    ["issue_sums", rows.insertIssueSums],
    ["usage", rows.insertUsage],
    ["task_usage", rows.insertTaskUsage],
    ["runs", rows.insertRuns],
    ["event_terms", rows.insertTerms],
  ];
  const years = isPartitioned ? yearsOf(count) : [];
  const jobs = [
    ...years.map((year) => () => addPartition(sql, year, count)),
    ...(isPartitioned ? [] : [() => refill(sql, [["events", log]], chunks)]),
    () => refill(sql, derived, chunks),
  ];
  // From both ends: two partitions at a time would not fit in the memory of the system.
  await Promise.all([runAll(() => jobs.shift()), runAll(() => jobs.pop())]);
  for (const statement of rows.finish) await sql.unsafe(statement);
  await sql`update feed_head set id = ${count}, ts = ${timeOf(count - 1, count)}, derived = ${count}`;
}

async function runAll(next: () => (() => Promise<void>) | undefined): Promise<void> {
  for (let job = next(); job; job = next()) await job();
}

/** About as many events as a statement should insert, of whole days. */
function chunksOf({ first, until }: Range, count: number): string[] {
  const perDay = dayMicros / apartOf(count);
  const length = perDay * Math.ceil(500_000 / perDay);
  return Array.from({ length: Math.ceil((until - first) / length) }, (_, chunk) =>
    rows.generatedEvents(first + chunk * length, Math.min(until, first + (chunk + 1) * length), count),
  );
}

interface Year extends Range {
  name: string;
  from: Micros;
  to: Micros;
}

function yearsOf(count: number): Year[] {
  const indexOf = (time: Micros) => Math.min(count, (time - firstAt) / apartOf(count));
  const first = new Date(firstAt / 1000).getUTCFullYear();
  const last = new Date(timeOf(count - 1, count) / 1000).getUTCFullYear();
  return Array.from({ length: last - first + 1 }, (_, at) => {
    const [from, to] = [Date.UTC(first + at) * 1000, Date.UTC(first + at + 1) * 1000];
    return { name: `events_${first + at}`, from, to, first: indexOf(from), until: indexOf(to) };
  });
}

/** As `add_partition` of db/migrations/postgres/partitioned_log.sql leaves one. */
async function addPartition(sql: SQL, { name, from, to, ...range }: Year, count: number): Promise<void> {
  await timed(name, () =>
    sql.begin(async (tx) => {
      await tx.unsafe(`drop table if exists ${name}; create table ${name} (like events including defaults,
        constraint in_year check (ts >= ${from} and ts < ${to}))`);
      const inserts = chunksOf(range, count).map((events) => rows.insertEvents(name, events));
      await fill(tx, inserts, await indexesOf(tx, "events", name));
      await tx.unsafe(`alter table events attach partition ${name} for values from (${from}) to (${to});
        alter table ${name} drop constraint in_year`);
    }),
  );
}

/** Replaces all rows of tables. Events are generated once for all of them. */
async function refill(sql: SQL, tables: readonly Filled[], chunks: string[]): Promise<void> {
  const names = tables.map(([table]) => table);
  await timed(names.join(", "), () =>
    sql.begin(async (tx) => {
      const indexes: Index[] = [];
      for (const table of names) indexes.push(...(await indexesOf(tx, table, table)));
      for (const { drop } of indexes) await tx.unsafe(drop);
      for (const table of names)
        await tx.unsafe(`truncate ${table}; alter table ${table} disable trigger user`);
      const inserts = tables.map(([table, insert]) => `${table}_rows as (${insert("e")})`).join(", ");
      const statements = chunks.map(
        (events) => `with e as materialized (select * from ${events}), ${inserts} select 1`,
      );
      await fill(tx, statements, indexes);
      for (const table of names) await tx.unsafe(`alter table ${table} enable trigger user`);
    }),
  );
}

async function fill(tx: TransactionSQL, inserts: string[], indexes: Index[]): Promise<void> {
  await tx.unsafe(`set local maintenance_work_mem = '2GB'; set local work_mem = '512MB';
    set local enable_mergejoin = off; set local enable_nestloop = off`);
  for (const statement of inserts) await tx.unsafe(statement);
  for (const { make } of indexes) await tx.unsafe(make);
}

interface Index {
  make: string;
  drop: string;
}

/** The indexes and unique constraints of a table, for another one or for the same again. */
async function indexesOf(tx: TransactionSQL, table: string, target: string): Promise<Index[]> {
  const found: { name: string; index: string; rule: string | null }[] = await tx.unsafe(`
    select relname as name, pg_get_indexdef(indexrelid) as index, pg_get_constraintdef(k.oid) as rule
    from pg_index join pg_class as c on c.oid = indexrelid
      left join pg_constraint as k on k.conindid = indexrelid and contype in ('p', 'u')
    where indrelid = '${table}'::regclass order by indexrelid`);
  return found.map(({ name, index, rule }) => {
    const own = name.replace(table, target);
    return rule === null
      ? {
          make: index.replace(/INDEX \S+ ON (ONLY )?\S+/, `index ${own} on ${target}`),
          drop: `drop index ${name}`,
        }
      : {
          make: `alter table ${target} add constraint ${own} ${rule}`,
          drop: `alter table ${table} drop constraint ${name}`,
        };
  });
}

/** Tells how far a long filling is. */
async function timed(what: string, work: () => Promise<unknown>): Promise<void> {
  const startedAt = performance.now();
  await work();
  process.stderr.write(`filled ${what} in ${((performance.now() - startedAt) / 1000).toFixed(1)} s\n`);
}
