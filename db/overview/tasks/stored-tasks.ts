/**
 * The rows of tasks, which lists of tasks sort and count by. Triggers and appends mark the tasks that change,
 * in the transaction that changes them: to derive the row there would triple what an append costs. Reads of
 * the rows derive those of marked tasks first; see db/feed/catch-up.ts.
 */
import { getTableColumns, type SQL, sql } from "drizzle-orm";
import type { TaskRow } from "../../../src/overview/rows.ts";
import { activeAt, stageOf } from "../../../src/overview/tasks/stage.ts";
import type { Session } from "../../engine/session.ts";
import { issueOfPullRequest } from "../../feed/tasks/pull-request-issues.ts";
import { allRows, literalCount, pipeline, preparedStatement } from "../../query/statements.ts";
import { taskRows } from "./rows.ts";

/** As stored: a number that a task lacks is 0. */
export interface StoredKey {
  project: string;
  issue: number | string;
  pr: number | string;
}

const isStale = sql`exists (select 1 from stale_tasks)`;

/** A query with the column `pending`: whether its rows lack changes. Without rows it has one of nulls. */
export const withPending = (query: SQL): SQL =>
  sql`select head.pending, found.* from (select ${isStale} as pending) as head
    left join (${query}) as found on 1 = 1`;

export const hasStaleTasks = async (session: Session): Promise<boolean> =>
  (await allRows(session, sql`select 1 where ${isStale}`)).length > 0;

/** Derives the rows of `max` marked tasks, under the write lock. @returns whether more are left */
export async function refreshTasks(session: Session, max: number): Promise<boolean> {
  const marks = await allRows<StoredKey>(
    session,
    sql`select project, issue, pr from stale_tasks limit ${literalCount(max)}`,
  );
  if (marks.length === 0) return false;
  const keys = await keysOfMarked(session, marks);
  const rows = await readTasks(
    session,
    keys.filter(({ is_named }) => !is_named),
  );
  const known = new Set(rows.map(nameOf));
  const gone = keys.filter((key) => !known.has(nameOf(key)));
  // Not one after the other: other writers wait meanwhile.
  await pipeline([
    deleteKeys(session, "tasks", gone),
    insertTasks(session)(rows),
    deleteKeys(session, "stale_tasks", marks),
  ]);
  return marks.length === max;
}

/** The tasks that marks are about; one that belongs to an issue `is_named`. */
export const keysOfMarked = (session: Session, marks: readonly StoredKey[]) =>
  allRows<StoredKey & { is_named: boolean | number }>(session, affected(session, marks));

/** The tasks as they should be stored; those of which nothing is known are left out. */
export async function readTasks(session: Session, keys: readonly StoredKey[]): Promise<StoredTask[]> {
  const rows = await taskRows(
    session,
    keys.map(({ project, issue, pr }) => ({
      project,
      issue: Number(issue) || null,
      pr: Number(pr) || null,
    })),
    Number.MAX_SAFE_INTEGER,
  );
  return rows.filter(isKnown).map(toStored);
}

const isKnown = ({ runs, versions, state, pulls }: TaskRow): boolean =>
  runs > 0 || versions > 0 || state !== null || pulls.some((pull) => pull.state !== null);

export type StoredTask = Session["t"]["tasks"]["$inferSelect"];

function toStored(row: TaskRow): StoredTask {
  const listed_at = row.listed_at || activeAt(row);
  return {
    project: row.project,
    issue: row.issue ?? 0,
    pr: row.pr ?? 0,
    stage: stageOf({ ...row, running: 0 }),
    live_at: row.live_at,
    state: row.state,
    listed_at,
    opened_at: row.opened ?? listed_at,
    runs: row.runs,
    cost_equiv: row.cost_equiv,
  };
}

export const nameOf = ({ project, issue, pr }: StoredKey): string => `${project} ${issue} ${pr}`;

export const storedColumns = ({ t: { tasks } }: Session) =>
  // safe because: these are its columns
  Object.keys(getTableColumns(tasks)) as (keyof StoredTask)[];

const insertTasks = preparedStatement((session) => {
  const { db, dialect, t } = session;
  const columns = storedColumns(session);
  const set = columns.map((name) => `${name} = excluded.${name}`).join(", ");
  const insert = dialect.inserter(db, t.tasks, `on conflict (project, issue, pr) do update set ${set}`);
  return (rows: readonly StoredTask[]) => insert(rows.map((row) => columns.map((name) => row[name])));
});

/**
 * The tasks that marks are about: an issue and, of a pull request, its own task and those of all issues that
 * were ever named with it. One that belongs to an issue `is_named`: it is no task.
 */
function affected(session: Session, marks: readonly StoredKey[]): SQL {
  const issueOf = issueOfPullRequest("m");
  const eventProject = session.dialect.unindexed(sql`e.project`);
  return sql`with marks as materialized (${keyRows(session, marks)}),
    m as materialized (select distinct project, pr from marks where pr > 0)
    select project, issue, 0 as pr, 1 = 0 as is_named from (
      select project, issue from marks where issue <> 0
      union select m.project, ${issueOf} as issue from m
      union select m.project, r.issue from m cross join runs as r where r.pr = m.pr and r.project = m.project
      union select m.project, e.issue from m cross join events as e
        where e.pr = m.pr and ${eventProject} = m.project) as issues where issue is not null
    union all select m.project, 0, m.pr, ${issueOf} is not null from m`;
}

const keyRows = ({ dialect }: Session, keys: readonly StoredKey[]): SQL => {
  const list = JSON.stringify(keys.map(({ project, issue, pr }) => [project, Number(issue), Number(pr)]));
  return sql`select value ->> 0 as project, cast(value ->> 1 as bigint) as issue,
    cast(value ->> 2 as bigint) as pr from ${dialect.jsonElements(list)}`;
};

async function deleteKeys(
  session: Session,
  table: "tasks" | "stale_tasks",
  keys: readonly StoredKey[],
): Promise<void> {
  if (keys.length > 0)
    await allRows(
      session,
      sql`delete from ${sql.raw(table)} where (project, issue, pr) in (${keyRows(session, keys)})`,
    );
}
