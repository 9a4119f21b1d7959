/** Tasks with the sums of their runs, of those of their pull requests, and of what was made for them. */

import { type SQL, sql } from "drizzle-orm";
import type { Micros } from "../../../src/core/lib/time.ts";
import type { TaskKey, TaskRow } from "../../../src/overview/rows.ts";
import type { Session } from "../../engine/session.ts";
import { isPipelineId } from "../../feed/runs/pipelines.ts";
import { issueOfPullRequest } from "../../feed/tasks/pull-request-issues.ts";
import { withTaskKeys } from "../../feed/tasks/task-keys.ts";
import { preparedStatement, rowsReader } from "../../query/statements.ts";

/** @param lost running runs without an event since are not running */
export async function taskRows(
  session: Session,
  tasks: readonly TaskKey[],
  lost: Micros,
): Promise<TaskRow[]> {
  if (tasks.length === 0) return [];
  const found = await selectTaskRows(session)({ list: listOf(tasks), lost });
  const numbered = found.map((row) => ({ ...row, issue: Number(row.issue) || null }));
  const rows = await withTaskKeys(session, numbered);
  const summed = rows.map(({ actors, models, teams, people, pulls: texts, ...row }) => {
    const pulls = (texts?.split(",") ?? []).map(toPull).toSorted((a, b) => a.number - b.number);
    return {
      ...row,
      pr: Number(row.pr) || null,
      state: row.issue === null ? (pulls[0]?.state ?? null) : row.state,
      pulls,
      actors: unique(actors?.split("\n") ?? []),
      teams: unique(teams?.split("\n") ?? []),
      people: unique(people?.split("\n") ?? []),
      models: unique((JSON.parse(`[${models ?? ""}]`) as string[][]).flat()),
      runs: Number(row.runs),
      running: Number(row.running),
      live_at: row.live_at === null ? null : Number(row.live_at),
      runs_waiting: Number(row.runs_waiting),
      versions: Number(row.versions),
      waiting: Number(row.waiting),
      rejected_at: Number(row.rejected_at) || null,
      made_at: Number(row.made_at) || null,
      opened: Number(row.opened) || null,
      issue_at: Number(row.issue_at) || null,
      cost_equiv: Number(row.cost_equiv),
      listed_at: Number(row.listed_at),
      last_event_at: Number(row.last_event_at),
    };
  });
  return summed.sort((a, b) => b.listed_at - a.listed_at);
}

const listOf = (tasks: readonly TaskKey[]): string =>
  JSON.stringify(tasks.map(({ project, issue, pr }) => [project, issue ?? 0, pr ?? 0]));

const unique = (names: string[]): string[] => [...new Set(names)].sort();

/** `40 merged 1790000000000000` */
function toPull(text: string): TaskRow["pulls"][number] {
  const [number, state, at] = text.split(" ");
  return { number: Number(number), state: (state || null) as TaskRow["state"], at: Number(at) || null };
}

/** Postgres returns the bigints of an expression as strings. */
type StoredTask = {
  [Name in Exclude<keyof TaskRow, "task">]: TaskRow[Name] extends number | null
    ? number | string
    : TaskRow[Name];
} & Record<"actors" | "models" | "teams" | "people" | "pulls", string | null>;

const selectTaskRows = preparedStatement((session) =>
  rowsReader<StoredTask>(session, taskRowsSql(session), [
    ...(["project", "issue", "pr", "runs", "cost_equiv", "running", "actors", "models", "teams"] as const),
    ...(["people", "pulls", "listed_at", "last_event_at", "versions", "waiting", "rejected_at"] as const),
    ...(["made_at", "runs_waiting", "live_at", "issue_at", "opened", "opening", "state"] as const),
  ]),
);

const liveForever = sql.raw(String(Number.MAX_SAFE_INTEGER));

const stateOfKind = (kind: SQL): SQL =>
  sql`case ${kind} when 'pr.opened' then 'open'
    when 'pr.closed' then 'closed' when 'pr.merged' then 'merged' end`;

/** The event that opened the task `t`, which has its title. */
const openedAt = sql`coalesce(
  (select e.ts from events as e where e.project = t.project and e.issue = t.issue
    and e.kind = 'issue.opened' order by e.ts desc limit 1),
  (select e.ts from events as e where e.project = t.project and e.pr = t.pr
    and e.kind = 'pr.opened' order by e.ts desc limit 1))`;

const wantedTasks = (dialect: Session["dialect"]): SQL => sql`wanted as materialized (
  select value ->> 0 as project, cast(value ->> 1 as bigint) as issue, cast(value ->> 2 as bigint) as pr
  from ${dialect.jsonElements(sql.placeholder("list"))})`;

/** The events that opened tasks: a title needs no more of a task. */
export async function taskOpenings(
  session: Session,
  tasks: readonly TaskKey[],
): Promise<(TaskKey & { opening: string })[]> {
  const rows = await selectOpenings(session)({ list: listOf(tasks) });
  return rows.map(({ project, issue, pr, opening }) => ({
    project,
    issue: Number(issue) || null,
    pr: Number(pr) || null,
    opening,
  }));
}

const selectOpenings = preparedStatement((session) =>
  rowsReader<Pick<StoredTask, "project" | "issue" | "pr"> & { opening: string }>(
    session,
    sql`with ${wantedTasks(session.dialect)} select t.project, t.issue, t.pr, e.wire as opening
      from wanted as t cross join events as e where e.ts = ${openedAt}`,
    ["project", "issue", "pr", "opening"],
  ),
);

/**
 * As in the usage by task, a number is 0 where a task has none, so that rows can be compared. SQLite keeps
 * the order of a cross join, and so starts at the tasks: else it scans all runs and assets for a few hundred.
 */
function taskRowsSql({ dialect }: Session): SQL {
  const lost = sql`cast(${sql.placeholder("lost")} as bigint)`;
  const own = sql`r.id, r.actor, r.team, r.person, r.models, r.status, r.cost_equiv,
    r.listed_at, r.last_event_at`;
  const isReviewed = sql`a.status = 'rejected' and (a."set" is null or not exists (
    select 1 from assets as other where other."set" = a."set" and other.project = a.project
      and other.status in ('approved', 'published')))`;
  // A pull request has few events, a project may have most of all.
  const project = dialect.unindexed(sql`e.project`);
  const counts = sql`a.status, a.created_at, case when ${isReviewed} then a.reviewed_at end as rejected_at`;
  return sql`with ${wantedTasks(dialect)},
    named as materialized (
      select t.project, t.issue, p.pr from wanted as t
        cross join pull_request_issues as p where p.issue = t.issue and p.project = t.project
      union select t.project, t.issue, r.pr from wanted as t
        cross join runs as r where r.issue = t.issue and r.project = t.project and r.pr is not null),
    pulls as materialized (
      select project, issue, 0 as task_pr, pr from named where ${issueOfPullRequest("named")} = named.issue
      union all select project, issue, pr as task_pr, pr from wanted where issue = 0),
    of_task as (
      select t.project, t.issue, t.pr, ${own} from wanted as t
        cross join runs as r where r.issue = t.issue and r.project = t.project
      union all
      select p.project, p.issue, p.task_pr, ${own}
        from pulls as p cross join runs as r where r.pr = p.pr and r.project = p.project and r.issue is null),
    made as (
      select t.project, t.issue, t.pr, ${counts} from wanted as t
        cross join assets as a where a.issue = t.issue and a.project = t.project
      union all select p.project, p.issue, p.task_pr, ${counts} from pulls as p
        cross join assets as a where a.pr = p.pr and a.project = p.project and a.issue is null),
    made_counts as materialized (
      select project, issue, pr, count(*) as versions, max(rejected_at) as rejected_at,
        max(created_at) as made_at, sum(case when status = 'pending' then 1 else 0 end) as waiting
        from made group by project, issue, pr),
    sums as materialized (
      select project, issue, pr, count(*) as runs, sum(cost_equiv) as cost_equiv,
        sum(case when status in ('waiting', 'idle') or (status = 'running' and last_event_at >= ${lost})
          then 1 else 0 end) as running,
        sum(case when status = 'waiting' then 1 else 0 end) as runs_waiting,
        max(case when status in ('waiting', 'idle') then ${liveForever}
          when status = 'running' then last_event_at end) as live_at,
        string_agg(case when not ${isPipelineId(sql`id`)} then actor end, ${"\n"}) as actors,
        string_agg(team, ${"\n"}) as teams, string_agg(person, ${"\n"}) as people,
        string_agg(models, ',') as models, max(listed_at) as listed_at, max(last_event_at) as last_event_at
      from of_task group by project, issue, pr),
    pull_states as materialized (
      select project, issue, task_pr, string_agg(pr || ' ' || coalesce((
        select ${stateOfKind(sql`e.kind`)} || ' ' || e.ts from events as e
          where e.pr = pulls.pr and ${project} = pulls.project
            and e.kind in ('pr.opened', 'pr.closed', 'pr.merged')
          order by e.ts desc limit 1), ''), ',') as pulls
      from pulls group by project, issue, task_pr),
    titled as materialized (select t.*, ${openedAt} as opened from wanted as t)
    select t.project, t.issue, t.pr, coalesce(s.runs, 0) as runs, coalesce(s.cost_equiv, 0) as cost_equiv,
      coalesce(s.running, 0) as running, s.actors, s.models, s.teams, s.people, p.pulls,
      coalesce(s.listed_at, t.opened, 0) as listed_at,
      coalesce(s.last_event_at, t.opened, 0) as last_event_at,
      coalesce(m.versions, 0) as versions, coalesce(m.waiting, 0) as waiting,
      m.rejected_at, m.made_at, coalesce(s.runs_waiting, 0) as runs_waiting, s.live_at,
      (select i.ts from issues as i where i.project = t.project and i.number = t.issue) as issue_at,
      t.opened, (select wire from events as e where e.ts = t.opened) as opening,
      (select case when i.open then 'open' else 'closed' end from issues as i
        where i.project = t.project and i.number = t.issue) as state
    from titled as t
      left join sums as s on s.project = t.project and s.issue = t.issue and s.pr = t.pr
      left join made_counts as m on m.project = t.project and m.issue = t.issue and m.pr = t.pr
      left join pull_states as p on p.project = t.project and p.issue = t.issue and p.task_pr = t.pr`;
}
