/** Compares the rows of tasks with what they are derived from, and rebuilds them. */
import { type SQL, sql } from "drizzle-orm";
import type { Session } from "../../engine/session.ts";
import { allRows, literalCount, tuple } from "../../query/statements.ts";
import { type TellShare, WrongRows } from "../../query/wrong-rows.ts";
import {
  keysOfMarked,
  nameOf,
  readTasks,
  type StoredKey,
  type StoredTask,
  storedColumns,
} from "./stored-tasks.ts";

const tasksPerPage = 500;

/** Tasks of runs, assets and issues that have no row. */
const missing: SQL = sql`select project, issue, 0 as pr from (
    select project, issue from runs where issue is not null
    union select project, issue from assets where issue is not null
    union select project, number from issues) as known
  where not exists (select 1 from tasks as t
    where t.project = known.project and t.issue = known.issue and t.pr = 0)`;

/** The projects and stages that count other tasks than they have. */
const miscounted: SQL = sql`select name from (
    select project || ' ' || stage as name, count(*) as count from tasks group by project, stage
    union all select project || ' ' || stage, -count from task_counts) as counted
  group by name having sum(count) <> 0`;

/** The tasks whose rows are missing or differ, but for those that changed since. */
export async function findWrongTasks(session: Session, tellShare: TellShare): Promise<WrongRows> {
  const counts = await allRows<{ name: string }>(session, miscounted);
  const wrong = (await allRows<StoredKey>(session, missing)).map(nameOf);
  wrong.push(...counts.map(({ name }) => name));
  const [stored] = await allRows<{ count: number }>(session, sql`select count(*) as count from tasks`);
  let tasksSoFar = 0;
  for await (const page of pagesOfTasks(session)) {
    const derived = new Map((await readTasks(session, page)).map((task) => [nameOf(task), task]));
    for (const stored of page) if (!isSame(stored, derived.get(nameOf(stored)))) wrong.push(nameOf(stored));
    tasksSoFar += page.length;
    tellShare(tasksSoFar / (Number(stored?.count) || 1));
  }
  const pending = wrong.length > 0 ? await namesOfMarked(session) : new Set();
  const found = new WrongRows();
  for (const name of wrong) if (!pending.has(name)) found.add(name);
  return found;
}

/** The tasks of marks: that of a pull request is about the issues that were named with it as well. */
const namesOfMarked = async (session: Session): Promise<ReadonlySet<string>> => {
  const marks = await allRows<StoredKey>(session, sql`select project, issue, pr from stale_tasks`);
  return new Set((await keysOfMarked(session, marks)).map(nameOf));
};

async function* pagesOfTasks(session: Session): AsyncGenerator<StoredTask[]> {
  const key = tuple([sql`t.project`, sql`t.issue`, sql`t.pr`]);
  for (let last: StoredTask | undefined; ; ) {
    const after = last ? sql` where ${key} > ${tuple([last.project, last.issue, last.pr])}` : sql``;
    const page = await allRows<StoredTask>(
      session,
      sql`select ${sql.raw(storedColumns(session).join(", "))} from tasks as t${after}
        order by t.project, t.issue, t.pr limit ${literalCount(tasksPerPage)}`,
    );
    yield page;
    if (page.length < tasksPerPage) return;
    last = page.at(-1);
  }
}

/** Postgres returns the bigints of a raw statement as strings; sums of numbers depend on their order. */
const isSame = (stored: StoredTask, derived: StoredTask | undefined): boolean =>
  derived !== undefined &&
  Object.entries(derived).every(([name, value]) => {
    const other = stored[name as keyof StoredTask];
    return typeof value === "number" ? Math.abs(Number(other) - value) < 1e-6 * (1 + value) : other === value;
  });

/** Marks all tasks. Reads derive their rows. */
export async function markAllTasks(session: Session): Promise<void> {
  await allRows(session, sql`delete from tasks`);
  await allRows(session, sql`delete from task_counts`);
  await allRows(
    session,
    sql`insert into stale_tasks select project, issue, pr from (
        select project, coalesce(issue, 0) as issue, coalesce(pr, 0) as pr from runs
        union select project, coalesce(issue, 0), coalesce(pr, 0) from assets
        union select project, number, 0 from issues
        union select project, issue, pr from pull_request_issues
        union select project, coalesce(issue, 0), coalesce(pr, 0) from events
          where kind in ('pr.opened', 'pr.closed', 'pr.merged') and project is not null) as all_tasks
      where issue <> 0 or pr > 0 on conflict do nothing`,
  );
}
