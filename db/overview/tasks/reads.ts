/** Reads of tasks: their pull requests, and which briefs carried which decisions. */

import { and, asc, eq, inArray, type SQL, sql } from "drizzle-orm";
import type { OverviewReads } from "../../../src/overview/port.ts";
import type { TaskKey, TaskRow } from "../../../src/overview/rows.ts";
import type { Session } from "../../engine/session.ts";
import { issueOfPullRequest, pullRequestsOf, readIssuesOf } from "../../feed/tasks/pull-request-issues.ts";
import { allRows, literalCount } from "../../query/sql.ts";

export const taskReads = (session: Session) =>
  ({
    async pullRequestsOf(project, issue, limit) {
      const pulls = pullRequestsOf(sql`${issue}`, project);
      const rows = await allRows<{ pr: number | string }>(
        session,
        sql`select pr from (${pulls}) as pulls order by pr limit ${literalCount(limit)}`,
      );
      return rows.map(({ pr }) => Number(pr));
    },
    async issueOfPullRequest(project, pr) {
      const issueOf = await readIssuesOf(session, [{ project, pr }]);
      return issueOf({ project, pr });
    },
    async taskRows(tasks) {
      if (tasks.length === 0) return [];
      const rows = await allRows<StoredTask>(session, taskRowsSql(session, tasks));
      return rows.map((row) => ({
        ...row,
        issue: Number(row.issue) || null,
        pr: Number(row.pr) || null,
        runs: Number(row.runs),
        versions: Number(row.versions),
        cost_equiv: Number(row.cost_equiv),
        listed_at: Number(row.listed_at),
        last_event_at: Number(row.last_event_at),
      }));
    },
    async briefsOfRuns(project, runs, limit) {
      if (runs.length === 0) return [];
      const { db, t } = session;
      const { briefs, brief_decisions } = t;
      const given = await db
        .select({ id: briefs.id, run_id: briefs.run_id, hash: briefs.hash, at: briefs.at })
        .from(briefs)
        .where(and(inArray(briefs.run_id, [...runs]), eq(briefs.project, project)))
        .orderBy(asc(briefs.at), asc(briefs.id))
        .limit(limit);
      if (given.length === 0) return [];
      const ids = given.map(({ id }) => id);
      const carried = await db.select().from(brief_decisions).where(inArray(brief_decisions.brief, ids));
      const byBrief = Map.groupBy(carried, ({ brief }) => brief);
      return given.map(({ id, ...brief }) => ({
        ...brief,
        decisions: (byBrief.get(id) ?? []).map(({ decision }) => decision),
      }));
    },
  }) satisfies Partial<OverviewReads>;

/** Postgres returns the bigints of an expression as strings. */
type StoredTask = {
  [Name in keyof TaskRow]: TaskRow[Name] extends number | null ? number | string : TaskRow[Name];
};

/** As in the usage by task, a number is 0 where a task has none, so that rows can be compared. */
function taskRowsSql({ dialect }: Session, tasks: readonly TaskKey[]): SQL {
  const list = JSON.stringify(tasks.map(({ project, issue, pr }) => [project, issue ?? 0, pr ?? 0]));
  return sql`with tasks as (
      select value ->> 0 as project, cast(value ->> 1 as bigint) as issue, cast(value ->> 2 as bigint) as pr
      from ${dialect.jsonElements(list)}),
    named as (
      select t.project, t.issue, p.pr from tasks as t
        join pull_request_issues as p on p.issue = t.issue and p.project = t.project
      union select t.project, t.issue, r.pr from tasks as t
        join runs as r on r.issue = t.issue and r.project = t.project where r.pr is not null),
    pulls as (
      select project, issue, 0 as task_pr, pr from named where ${issueOfPullRequest("named")} = named.issue
      union all select project, issue, pr as task_pr, pr from tasks where issue = 0),
    of_task as (
      select t.project, t.issue, t.pr, r.cost_equiv, r.listed_at, r.last_event_at from tasks as t
        join runs as r on r.issue = t.issue and r.project = t.project
      union all
      select p.project, p.issue, p.task_pr, r.cost_equiv, r.listed_at, r.last_event_at
        from pulls as p join runs as r on r.pr = p.pr and r.project = p.project where r.issue is null),
    made as (
      select t.project, t.issue, t.pr from tasks as t
        join assets as a on a.issue = t.issue and a.project = t.project
      union all select p.project, p.issue, p.task_pr from pulls as p
        join assets as a on a.pr = p.pr and a.project = p.project where a.issue is null),
    versions as (select project, issue, pr, count(*) as count from made group by project, issue, pr),
    sums as (
      select project, issue, pr, count(*) as runs, sum(cost_equiv) as cost_equiv,
        max(listed_at) as listed_at, max(last_event_at) as last_event_at
      from of_task group by project, issue, pr)
    select one.project, one.issue, one.pr, one.runs, one.cost_equiv, one.listed_at, one.last_event_at,
      coalesce((select v.count from versions as v
        where v.project = one.project and v.issue = one.issue and v.pr = one.pr), 0) as versions,
      coalesce(
        (select wire from events as e where e.project = one.project and e.issue = one.issue
          and e.kind = 'issue.opened' order by e.ts desc limit 1),
        (select wire from events as e where e.project = one.project and e.pr = one.pr
          and e.kind = 'pr.opened' order by e.ts desc limit 1)) as opening,
      coalesce(
        (select case when i.open then 'open' else 'closed' end from issues as i
          where i.project = one.project and i.number = one.issue),
        (select case e.kind when 'pr.opened' then 'open' when 'pr.closed' then 'closed' else 'merged' end
          from events as e where e.pr = one.pr and e.project = one.project
            and e.kind in ('pr.opened', 'pr.closed', 'pr.merged') order by e.ts desc limit 1)) as state
    from sums as one order by one.listed_at desc`;
}
