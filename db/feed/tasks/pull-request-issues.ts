/** The issues of pull requests: written with every append, in its transaction. */
import { getTableColumns, type Placeholder, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { EventRow } from "../../../src/feed/schema.ts";
import { pullRequestIssues, pullRequestKinds } from "../../../src/feed/tasks/pull-request-issue.ts";
import type { Session } from "../../engine/session.ts";
import { allRows, preparedStatement } from "../../query/statements.ts";

/** The clause that keeps the event of the higher rank. */
const keepHigherRank = `on conflict (project, pr) do update set issue = excluded.issue,
  rank = excluded.rank where excluded.rank > pull_request_issues.rank`;

const saveIssues = preparedStatement(({ db, dialect, t: { pull_request_issues } }) => ({
  columns: Object.keys(
    getTableColumns(pull_request_issues),
  ) as (keyof typeof pull_request_issues.$inferSelect)[],
  insert: dialect.inserter(db, pull_request_issues, keepHigherRank),
}));

/** Records which issues the pull requests of these events belong to. */
export function recordPullRequestIssues(
  session: Session,
  events: readonly Pick<EventRow, "ts" | "kind" | "project" | "issue" | "pr">[],
): Promise<unknown> {
  const { columns, insert } = saveIssues(session);
  const found = pullRequestIssues(events, ({ ts }) => ts);
  return insert(found.map((row) => columns.map((name) => row[name])));
}

const ofPullRequest = sql.raw(`kind in (${pullRequestKinds.map((kind) => `'${kind}'`).join(", ")})`);

/** The same from all events. */
const fromEvents: SQL = sql`select project, pr, issue, rank from (
  select project, pr, issue, rank, row_number() over (partition by project, pr order by rank desc) as place
  from (select project, pr, issue, case when ${ofPullRequest} then ts else -ts end as rank
    from events where project is not null and issue is not null and pr is not null) as ranked) as placed
  where place = 1`;

/** The pull requests whose issue differs from what their events say, as `name`. */
export const wrongPullRequestIssues: SQL = sql`select name from (
  with told as (${fromEvents})
  select told.project || ' #' || told.pr as name from told
    left join pull_request_issues as p on p.project = told.project and p.pr = told.pr
    where p.rank is null or p.rank <> told.rank or p.issue <> told.issue
  union select p.project || ' #' || p.pr from pull_request_issues as p
    where not exists (select 1 from told where told.project = p.project and told.pr = p.pr)
) as wrong_issues`;

export const clearPullRequestIssues = (session: Session): Promise<unknown> =>
  allRows(session, sql`delete from pull_request_issues`);

export async function rebuildPullRequestIssues(session: Session): Promise<void> {
  await clearPullRequestIssues(session);
  await allRows(session, sql`insert into pull_request_issues (project, pr, issue, rank) ${fromEvents}`);
}

/**
 * The issue of a pull request, as SQL: what its events say or, if none of them names both, what the first run
 * in lists says whose events name one each. @param of the alias of a row with its project and number
 */
export function issueOfPullRequest(of: string): SQL {
  const row = sql.raw(of);
  return sql`coalesce((select p.issue from pull_request_issues as p
      where p.project = ${row}.project and p.pr = ${row}.pr),
    (select teller.issue from runs as teller where teller.project = ${row}.project and teller.pr = ${row}.pr
      and teller.issue is not null order by teller.listed_at limit 1))`;
}

/** The pull requests of an issue as rows of `project` and `pr`. */
export const pullRequestsOf = (issue: SQLWrapper, project?: string | Placeholder): SQL => {
  const inProject = project === undefined ? sql.raw("") : sql` and project = ${project}`;
  return sql`select project, pr from (
    select project, pr from pull_request_issues where issue = ${issue}${inProject}
    union select project, pr from runs where issue = ${issue} and pr is not null${inProject}) as named
    where ${issueOfPullRequest("named")} = ${issue}`;
};

const keyOf = ({ project, pr }: { project: string; pr: number | string }): string => `${project} ${pr}`;

/** Returns a function that tells the issue of one of these pull requests; null if it belongs to none. */
export async function readIssuesOf(
  session: Session,
  pulls: readonly { project: string; pr: number }[],
): Promise<(pull: { project: string; pr: number }) => number | null> {
  if (pulls.length === 0) return () => null;
  const list = JSON.stringify(pulls.map(({ project, pr }) => [project, pr]));
  const rows = await allRows<{ project: string; pr: number | string; issue: number | string | null }>(
    session,
    sql`select project, pr, ${issueOfPullRequest("named")} as issue
      from (select distinct value ->> 0 as project, cast(value ->> 1 as bigint) as pr
        from ${session.dialect.jsonElements(list)}) as named`,
  );
  const issues = new Map(
    rows.flatMap((row) => (row.issue === null ? [] : [[keyOf(row), Number(row.issue)]])),
  );
  return (pull) => issues.get(keyOf(pull)) ?? null;
}
