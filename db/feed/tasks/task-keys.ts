/** The keys of tasks, read from events: rows of other tables have only their numbers; see src/core/task-key.ts. */
import { type SQL, sql } from "drizzle-orm";
import type { Event } from "../../../src/feed/schema.ts";
import type { Session } from "../../engine/session.ts";
import { allRows } from "../../query/statements.ts";

/**
 * The newest event of a task with a key, as SQL: its text, which `keyIn` reads; null for an issue.
 * @param of the alias of a row with its project @param issue the number of its task
 */
export const taskEvent = (of: string, issue: SQL): SQL<string | null> =>
  sql<string | null>`(select named.wire from events as named where ${issue} < 0
    and named.issue = ${issue} and named.project = ${sql.raw(of)}.project order by named.ts desc limit 1)`;

export const keyIn = (wire: string | null): string | null =>
  wire === null ? null : ((JSON.parse(wire) as Event).task ?? null);

interface NumberedTask {
  project: string | null;
  issue: number | null;
}

const nameOf = ({ project, issue }: { project: string | null; issue: number | string | null }): string =>
  `${project} ${issue}`;

/** Adds the key of its task to each row; null to those without one. */
export async function withTaskKeys<Row extends NumberedTask>(
  session: Session,
  rows: readonly Row[],
): Promise<(Row & { task: string | null })[]> {
  const keyOf = await readTaskKeys(session, rows);
  return rows.map((row) => ({ ...row, task: keyOf(row) }));
}

/** Returns a function that tells the key of the task of one of these rows. */
export async function readTaskKeys(
  session: Session,
  rows: readonly NumberedTask[],
): Promise<(row: NumberedTask) => string | null> {
  const named = rows.filter(({ issue }) => issue !== null && issue < 0);
  if (named.length === 0) return () => null;
  const list = JSON.stringify(named.map(({ project, issue }) => [project, issue]));
  const found = await allRows<{ project: string; issue: number | string; wire: string | null }>(
    session,
    sql`select project, issue, ${taskEvent("one", sql`one.issue`)} as wire
      from (select distinct value ->> 0 as project, cast(value ->> 1 as bigint) as issue
        from ${session.dialect.jsonElements(list)}) as one`,
  );
  const keys = new Map(found.map((row) => [nameOf(row), keyIn(row.wire)]));
  return (row) => keys.get(nameOf(row)) ?? null;
}
