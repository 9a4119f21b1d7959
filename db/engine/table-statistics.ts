/**
 * Statistics of new tables for the planner of Postgres. Autovacuum analyzes a table within a minute. Until
 * then Postgres expects a few rows by any condition, and keeps the plans that it made: one that read all runs
 * of a project for each run that it looked up made appends of four nodes ten times dearer (`bun run bench
 * append-nodes`).
 */
import type { ConnectionPool } from "./connection-pool.ts";

/** So long a log tells one index from another. Plans made then are good until autovacuum comes. */
const eventsMin = 1_000;

/** Events that were appended: how many, and the id of the newest. */
export interface Appended {
  count: number;
  newest: number;
}

/** Analyzes new tables after the append that makes the log long enough, in whichever process that is. */
export function openTableStatistics(pool: ConnectionPool) {
  let analyzed: Promise<void> | undefined;
  return {
    noteAppend({ count, newest }: Appended): void {
      if (newest < eventsMin || newest - count >= eventsMin) return;
      analyzed = analyzeNewTables(pool).catch(() => {}); // autovacuum will
    },
    close: async () => analyzed,
  };
}

/** Leaves out a partitioned table, whose own statistics autovacuum would never renew. */
const analyzeNewTables = (pool: ConnectionPool): Promise<void> =>
  pool.withDedicatedConnection(async (sql) => {
    const tables: { name: string }[] = await sql`select quote_ident(relname) as name from pg_class
      where relnamespace = current_schema()::regnamespace and relkind = 'r' and reltuples < 0
        and pg_relation_size(oid) > 0`;
    // Autovacuum may be at it.
    for (const { name } of tables) await sql.unsafe(`analyze (skip_locked) ${name}`);
  });
