/** The tasks that cost most in a range of days, ranked in the database: a month may have 100,000 of them. */
import { type SQL, sql } from "drizzle-orm";
import { YieldBudget } from "../../../src/core/lib/time-slices.ts";
import type { Projects } from "../../../src/core/rows.ts";
import type { ExpensiveTasks, TaskUsage, UsageRange } from "../../../src/feed/rows.ts";
import { type UsageSums, usageFieldNames } from "../../../src/feed/usage/schema.ts";
import { sumOf } from "../../../src/feed/usage/sums.ts";
import type { Session } from "../../engine/session.ts";
import { allRows, elements, literalCount } from "../../query/sql.ts";
import { selectPending } from "../head.ts";
import { markIncomplete } from "../pending.ts";
import { issueOfPullRequest } from "../tasks/pull-request-issues.ts";
import { withTaskKeys } from "../tasks/task-keys.ts";
import { visibleSlugs } from "./slugs.ts";
import { sumOfField } from "./sums.ts";

type Query = UsageRange & { project?: string; limit: number };

/** A task is of one project, so the projects are read in parts: on SQLite, a read blocks other requests. */
const projectsAtOnce = 20;

export async function expensiveTasks(
  session: Session,
  projects: Projects,
  query: Query,
): Promise<ExpensiveTasks> {
  const slugs = await visibleSlugs(session, projects, query.project);
  const budget = new YieldBudget(1);
  const found: Row[] = [];
  for (let first = 0; first < slugs.length; first += projectsAtOnce) {
    found.push(...(await read(session, slugs.slice(first, first + projectsAtOnce), query)));
    await budget.spend(1);
  }
  const of = (part: Row["part"]) => found.filter((row) => row.part === part).map(toTask);
  const counts = found.filter(({ part }) => part === "count");
  const tasks = of("top").sort(byCost).slice(0, query.limit);
  return markIncomplete(
    counts.map(({ pr }) => ({ pending: Number(pr) > 0 })),
    {
      tasks: await withTaskKeys(session, tasks),
      count: counts.reduce((sum, { issue }) => sum + Number(issue), 0),
      unattributed: sumOf(of("none")),
    },
  );
}

/** Of a count, `issue` is the number of tasks, and `pr` tells whether events are pending. */
type Row = Record<keyof UsageSums | "issue" | "pr", number | string> & {
  part: "top" | "none" | "count";
  project: string;
};

const toTask = ({ part: _, project, ...numbers }: Row): Omit<TaskUsage, "task"> => ({
  // safe because: Postgres returns the bigints of a raw statement as strings
  ...(Object.fromEntries(Object.entries(numbers).map(([name, value]) => [name, Number(value)])) as Record<
    keyof typeof numbers,
    number
  >),
  project,
});

const tokensOf = ({ tokens_in, tokens_out }: UsageSums): number => tokens_in + tokens_out;
type Ranked = UsageSums & { project: string };
/** A stable sort: equals of a project stay in the order of the statement. */
const byCost = (a: Ranked, b: Ranked): number =>
  b.cost_equiv - a.cost_equiv ||
  tokensOf(b) - tokensOf(a) ||
  Number(a.project > b.project) - Number(a.project < b.project);

function read(session: Session, slugs: readonly string[], { from, to, limit }: Query): Promise<Row[]> {
  const { dialect } = session;
  const columns = (column: (field: keyof UsageSums) => SQL) =>
    sql.join(
      usageFieldNames.map((field) => sql`${column(field)} as ${sql.raw(field)}`),
      sql`, `,
    );
  const sums = columns((field) => sumOfField(session, sql.raw(field), field));
  const isVisible = dialect.isIn(sql`named.project`, sql`select value from ${elements(dialect, slugs)}`);
  // Events may name the issue of a pull request later, so it is joined here.
  const issue = sql`case when named.pr > 0 then ${issueOfPullRequest("named")} end`;
  const row = (part: Row["part"]) => sql.raw(`'${part}' as part, project, issue, pr`);
  const fields = sql.raw(usageFieldNames.join(", "));
  return allRows<Row>(
    session,
    sql`with summed as materialized (
        select project, coalesce(of_pr, issue) as issue, case when of_pr is null then pr else 0 end as pr,
          ${sums} from (select named.*, ${issue} as of_pr from task_usage as named
          where ${isVisible} and named.day between ${from} and ${to}) as daily
        group by 1, 2, 3)
      select * from (select ${row("top")}, ${fields} from summed
        order by cost_equiv desc, tokens_in + tokens_out desc, project, cast(issue as text), cast(pr as text)
        limit ${literalCount(limit)}) as top
      union all select ${row("none")}, ${fields} from summed where issue = 0 and pr = 0
      union all select 'count', '', (select count(*) from summed),
        case when ${selectPending} then 1 else 0 end, ${columns(() => sql.raw("0"))}`,
  );
}
