/** The tasks that cost most in a range of days. Of many events, the database ranks them. */
import { type SQL, sql } from "drizzle-orm";
import { YieldBudget } from "../../../src/core/lib/time-slices.ts";
import type { Projects } from "../../../src/core/rows.ts";
import type { ProjectRange, TaskCount, TaskUsage } from "../../../src/feed/rows.ts";
import { type UsageSums, usageFieldNames } from "../../../src/feed/usage/schema.ts";
import { sumOf } from "../../../src/feed/usage/sums.ts";
import type { Session } from "../../engine/session.ts";
import { allRows, elements, literalCount } from "../../query/statements.ts";
import { selectPending } from "../head.ts";
import { joinedRows, type Marked, markIncomplete } from "../pending.ts";
import { issueOfPullRequest } from "../tasks/pull-request-issues.ts";
import { withTaskKeys } from "../tasks/task-keys.ts";
import { activeSlugs } from "./slugs.ts";
import { sumOfField } from "./sums.ts";
import { leastOfTop, readRememberedTasks } from "./task-days.ts";

/** A task is of one project, so the projects are read in parts: on SQLite, a read blocks other requests. */
const projectsAtOnce = 20;

export async function expensiveTasks(
  session: Session,
  projects: Projects,
  query: ProjectRange & { limit: number },
): Promise<TaskUsage[]> {
  const slugs = await activeSlugs(session, projects, query);
  const remembered = await readRememberedTasks(session, slugs, query);
  if (remembered) {
    const tasks = [...remembered.found].flatMap(([project, { top }]) =>
      top.slice(0, query.limit).map((task) => ({ project, task })),
    );
    const least = leastOfTop(
      tasks.map(({ task }) => task.cost_equiv),
      query.limit,
    );
    const top = tasks
      .filter(({ task }) => task.cost_equiv >= least)
      .sort((a, b) => byExpense(a.task, b.task) || byName(a, b))
      .slice(0, query.limit)
      .map(({ project, task }) => ({ ...task, project }));
    return markIncomplete([{ pending: remembered.isPending }], await withTaskKeys(session, top));
  }
  const top = sql`select project, issue, pr, ${sql.raw(usageFieldNames.join(", "))} from summed
    order by cost_equiv desc, tokens_in + tokens_out desc, project, cast(issue as text), cast(pr as text)
    limit ${literalCount(query.limit)}`;
  const rows = await readSummed(session, slugs, query, top);
  const tasks = joinedRows<Row>(rows, "project").map(toTask).sort(byCost).slice(0, query.limit);
  return markIncomplete(rows, await withTaskKeys(session, tasks));
}

export async function countTasks(
  session: Session,
  projects: Projects,
  query: ProjectRange,
): Promise<TaskCount> {
  const slugs = await activeSlugs(session, projects, query);
  const remembered = await readRememberedTasks(session, slugs, query);
  if (remembered) {
    const tasks = [...remembered.found.values()];
    return markIncomplete([{ pending: remembered.isPending }], {
      count: tasks.reduce((sum, { count }) => sum + count, 0),
      unattributed: sumOf(tasks.map(({ unattributed }) => unattributed)),
    });
  }
  const sums = usageFieldNames.map(
    (field) =>
      sql`sum(case when issue = 0 and pr = 0 then ${sql.raw(field)} else 0 end) as ${sql.raw(field)}`,
  );
  const counts = sql`select '' as project, count(*) as issue, 0 as pr, ${sql.join(sums, sql`, `)}
    from summed`;
  const rows = await readSummed(session, slugs, query, counts);
  const parts = joinedRows<Row>(rows, "project").map(toTask);
  return markIncomplete(rows, {
    count: parts.reduce((sum, { issue }) => sum + issue, 0),
    unattributed: sumOf(parts),
  });
}

type TaskRows = (Marked & Row)[];
type Row = Record<keyof UsageSums | "issue" | "pr", number | string> & { project: string };

const toTask = ({ project, ...numbers }: Row): Omit<TaskUsage, "task"> => ({
  // safe because: Postgres returns the bigints of a raw statement as strings
  ...(Object.fromEntries(Object.entries(numbers).map(([name, value]) => [name, Number(value)])) as Record<
    keyof typeof numbers,
    number
  >),
  project,
});

const tokensOf = ({ tokens_in, tokens_out }: UsageSums): number => tokens_in + tokens_out;
const byExpense = (a: UsageSums, b: UsageSums): number =>
  b.cost_equiv - a.cost_equiv || tokensOf(b) - tokensOf(a);
type Named = { project: string };
const byName = (a: Named, b: Named): number => Number(a.project > b.project) - Number(a.project < b.project);
/** A stable sort: equals of a project stay in the order of the statement. */
const byCost = (a: UsageSums & Named, b: UsageSums & Named): number => byExpense(a, b) || byName(a, b);

/** @param query of the table `summed`: the tasks of the range */
async function readSummed(
  session: Session,
  slugs: readonly string[],
  range: ProjectRange,
  query: SQL,
): Promise<TaskRows> {
  const { dialect } = session;
  const budget = new YieldBudget(1);
  const rows: TaskRows = [];
  const sums = usageFieldNames.map(
    (field) => sql`${sumOfField(session, sql.raw(field), field)} as ${sql.raw(field)}`,
  );
  // Events may name the issue of a pull request later, so it is joined here.
  const issue = sql`case when named.pr > 0 then ${issueOfPullRequest("named")} end`;
  for (let first = 0; first < slugs.length; first += projectsAtOnce) {
    const some = slugs.slice(first, first + projectsAtOnce);
    const isVisible = dialect.isIn(sql`named.project`, sql`select value from ${elements(dialect, some)}`);
    const found = await allRows<Marked & Row>(
      session,
      sql`with summed as materialized (
          select project, coalesce(of_pr, issue) as issue, case when of_pr is null then pr else 0 end as pr,
            ${sql.join(sums, sql`, `)} from (select named.*, ${issue} as of_pr from task_usage as named
            where ${isVisible} and named.day between ${range.from} and ${range.to}) as daily
          group by 1, 2, 3)
        select ${selectPending} as pending, found.* from (select 1) as one
          left join (${query}) as found on 1 = 1`,
    );
    rows.push(...found);
    await budget.spend(1);
  }
  return rows;
}
