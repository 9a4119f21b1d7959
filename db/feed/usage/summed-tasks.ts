/** The tasks of a range of days, as the database sums and ranks them. */
import { sql } from "drizzle-orm";
import { YieldBudget } from "../../../src/core/lib/time-slices.ts";
import type { UsageRange } from "../../../src/feed/rows.ts";
import { usageFieldNames } from "../../../src/feed/usage/schema.ts";
import type { Session } from "../../engine/session.ts";
import { allRows, literalCount } from "../../query/statements.ts";
import { issueOfPullRequest } from "../tasks/pull-request-issues.ts";
import type { ProjectTasks, TaskSum } from "./day-cache.ts";
import { sumOfField } from "./sums.ts";

/** Statements at a time: a connection each on Postgres. */
const projectsAtOnce = 10;

/**
 * One statement for each project: on SQLite, a read blocks other requests.
 * @param topMax how many of the most expensive to list
 */
export async function sumTasks(
  session: Session,
  slugs: readonly string[],
  range: UsageRange,
  topMax: number,
): Promise<Map<string, ProjectTasks>> {
  const budget = new YieldBudget(1);
  const found = new Map<string, ProjectTasks>();
  for (let first = 0; first < slugs.length; first += projectsAtOnce)
    await Promise.all(
      slugs.slice(first, first + projectsAtOnce).map(async (project) => {
        await budget.spend(1);
        const [all, ...top] = await readSummed(session, project, range, topMax);
        const { issue: count, pr: _, ...unattributed } = all as TaskSum;
        if (count > 0) found.set(project, { count, unattributed, top });
      }),
    );
  return found;
}

const fields = [...usageFieldNames, "issue", "pr"] as const;

/** First the number of tasks, in place of an issue, and the usage of no task. Then the most expensive ones. */
async function readSummed(
  session: Session,
  project: string,
  { from, to }: UsageRange,
  topMax: number,
): Promise<TaskSum[]> {
  const sums = usageFieldNames.map(
    (field) => sql`${sumOfField(session, sql.raw(field), field)} as ${sql.raw(field)}`,
  );
  const ofNone = usageFieldNames.map(
    (field) =>
      sql`coalesce(sum(case when issue = 0 and pr = 0 then ${sql.raw(field)} end), 0) as ${sql.raw(field)}`,
  );
  // Events may name the issue of a pull request later, so it is joined here.
  const issue = sql`case when named.pr > 0 then ${issueOfPullRequest("named")} end`;
  const rows = await allRows<Record<(typeof fields)[number], number | string>>(
    session,
    sql`with summed as materialized (
        select ${sql.join(sums, sql`, `)}, coalesce(of_pr, issue) as issue,
          case when of_pr is null then pr else 0 end as pr
        from (select named.*, ${issue} as of_pr from task_usage as named
          where named.project = ${project} and named.day between ${from} and ${to}) as daily
        group by coalesce(of_pr, issue), case when of_pr is null then pr else 0 end)
      select ${sql.join(ofNone, sql`, `)}, count(*) as issue, 0 as pr from summed
      union all select * from (select ${sql.raw(fields.join(", "))} from summed
        order by cost_equiv desc, tokens_in + tokens_out desc, cast(issue as text), cast(pr as text)
        limit ${literalCount(topMax)}) as top`,
  );
  // safe because: Postgres returns the bigints of a raw statement as strings
  return rows.map(
    (row) => Object.fromEntries(Object.entries(row).map(([name, value]) => [name, Number(value)])) as TaskSum,
  );
}
