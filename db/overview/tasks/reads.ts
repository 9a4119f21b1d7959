/** Reads of tasks: their pull requests, and which briefs carried which decisions. */
import { and, asc, eq, inArray, type SQL, sql } from "drizzle-orm";
import type { Micros } from "../../../src/core/lib/time.ts";
import type { Projects } from "../../../src/core/rows.ts";
import type { OverviewReads } from "../../../src/overview/port.ts";
import type { FoundTask, TaskFilter, TaskKeysQuery } from "../../../src/overview/rows.ts";
import { type TaskSort, type TaskStage, taskStages } from "../../../src/overview/tasks/schema.ts";
import type { Session } from "../../engine/session.ts";
import { joinedRows, joinIncomplete, type Marked, markIncomplete } from "../../feed/pending.ts";
import { isPipelineId } from "../../feed/runs/pipelines.ts";
import { issueOfPullRequest, readIssuesOf } from "../../feed/tasks/pull-request-issues.ts";
import { allRows, elements, literalCount, tuple } from "../../query/statements.ts";
import { taskOpenings, taskRows } from "./rows.ts";
import { withPending } from "./stored-tasks.ts";

export const taskReads = (session: Session) =>
  ({
    async issueOfPullRequest(project, pr) {
      const issueOf = await readIssuesOf(session, [{ project, pr }]);
      return issueOf({ project, pr });
    },
    taskKeys: (projects, query) => taskKeys(session, projects, query),
    taskBoard: (projects, query) => taskBoard(session, projects, query),
    taskRows: (tasks, lost) => taskRows(session, tasks, lost),
    taskOpenings: (tasks) => taskOpenings(session, tasks),
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

type FoundRow = Marked & Record<"project", string> & Record<"issue" | "pr" | "listed_at", number | string>;

const orders: Record<TaskSort, SQL> = {
  recent: sql`listed_at desc, project desc, issue desc, pr desc`,
  cost: sql`cost_equiv desc, listed_at desc`,
  runs: sql`runs desc, listed_at desc`,
  age: sql`opened_at, listed_at desc`,
};

/** A range of the index of the order, or of those of the runs that a filter names. */
export async function taskKeys(
  session: Session,
  projects: Projects,
  { sort, after, offset = 0, limit, ...filter }: TaskKeysQuery,
): Promise<FoundTask[]> {
  const bound =
    after &&
    sql`${tuple([sql`listed_at`, sql`project`, sql`issue`, sql`pr`])}
      < ${tuple([after.listed_at, after.project, after.issue ?? 0, after.pr ?? 0])}`;
  const where = and(...conditions(session, projects, filter), bound);
  const page = sql`select project, issue, pr, listed_at, row_number() over (order by ${orders[sort]}) as place
    from (select * from tasks where ${where} order by ${orders[sort]}
      limit ${literalCount(limit)} offset ${offset}) as page`;
  const rows = await allRows<FoundRow>(session, sql`${withPending(page)} order by found.place`);
  return foundOf(rows);
}

/** The tasks of each stage that are listed first, so many of each, and how many there are. */
async function taskBoard(
  session: Session,
  projects: Projects,
  { limit, ...filter }: { project?: string | undefined; lost: Micros; limit: number },
): Promise<{ stage: TaskStage; count: number; tasks: FoundTask[] }[]> {
  const where = and(...conditions(session, projects, filter));
  const isRunning = isLive(filter.lost);
  // Those that run are few: they are taken off the counts of their stage.
  const counts = sql`select stage, sum(count) as count from (
      select stage, count from task_counts where ${isVisible(session, projects, filter.project)}
      union all select stage, -count(*) from tasks where ${where} and ${isRunning} group by stage
      union all select 'running', count(*) from tasks where ${where} and ${isRunning}) as counted
    group by stage`;
  const [counted, ...pages] = await Promise.all([
    allRows<Marked & { stage: TaskStage; count: number | string }>(session, withPending(counts)),
    ...taskStages.map((stage) => taskKeys(session, projects, { ...filter, stage, sort: "recent", limit })),
  ]);
  const countOf = new Map(counted.map(({ stage, count }) => [stage, Number(count)]));
  const board = taskStages.map((stage, index) => ({
    stage,
    count: countOf.get(stage) ?? 0,
    tasks: pages[index] ?? [],
  }));
  return joinIncomplete(pages, markIncomplete(counted, board));
}

/** What stands in the column `stage` does not count while a run of the task is open. */
const isLive = (lost: Micros): SQL => sql`live_at is not null and live_at >= ${lost}`;

function conditions(
  session: Session,
  projects: Projects,
  { project, state, stage, lost, ...ofRuns }: TaskFilter,
): SQL[] {
  const found = [isVisible(session, projects, project)];
  if (state !== undefined) found.push(sql`state = ${state}`);
  if (stage === "running") found.push(isLive(lost));
  else if (stage !== undefined) found.push(sql`stage = ${stage} and (live_at is null or live_at < ${lost})`);
  for (const isOfRun of runConditions(session, ofRuns)) found.push(hasRun(isOfRun, project));
  return found;
}

/** One for each filter: two of them may be of two runs. */
function runConditions(
  { dialect }: Session,
  { actor, model, team, person }: Pick<TaskFilter, "actor" | "model" | "team" | "person">,
): SQL[] {
  const equals = (column: SQL, value: string | undefined) =>
    value === undefined ? [] : [sql`${column} = ${value}`];
  return [
    ...equals(sql`not ${isPipelineId(sql`r.id`)} and r.actor`, actor),
    ...(model === undefined ? [] : [sql`${model} in (select value from ${dialect.elements(sql`r.models`)})`]),
    ...equals(sql`r.team`, team),
    ...equals(sql`r.person`, person),
  ];
}

function hasRun(isOfRun: SQL, project: string | undefined): SQL {
  const issue = sql`coalesce(r.issue, case when r.pr is not null then ${issueOfPullRequest("r")} end, 0)`;
  const inProject = project === undefined ? sql`` : sql` and r.project = ${project}`;
  return sql`(project, issue, pr) in (
    select project, issue, case when issue = 0 then coalesce(pr, 0) else 0 end from (
      select distinct r.project, ${issue} as issue, r.pr from runs as r
        where ${isOfRun}${inProject}) as found)`;
}

const foundOf = (rows: readonly FoundRow[]): FoundTask[] =>
  markIncomplete(
    rows,
    joinedRows<FoundRow>(rows, "project").map(({ project, issue, pr, listed_at }) => ({
      project,
      issue: Number(issue) || null,
      pr: Number(pr) || null,
      listed_at: Number(listed_at),
    })),
  );

function isVisible({ dialect }: Session, projects: Projects, project: string | undefined): SQL {
  if (project !== undefined) return sql`project = ${project}`;
  if (projects === null) return sql`1 = 1`;
  return sql`project in (select value from ${elements(dialect, projects)})`;
}
