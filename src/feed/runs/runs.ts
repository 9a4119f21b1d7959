/** Reads runs: the list, and one run with what belongs to it. */
import { actorLabel } from "../../core/auth/actor-name.ts";
import type { Viewer } from "../../core/auth/caller.ts";
import { cursorOf, readCursor } from "../../core/lib/cursor.ts";
import { fromMicros, type Micros, secondMicros } from "../../core/lib/time.ts";
import { badRequest, noProject, notFound } from "../../core/problem.ts";
import { issueOnly } from "../../core/task-key.ts";
import type { FeedContext } from "../context.ts";
import { requireLane } from "../feed.ts";
import type { RunQuery, RunRow } from "../rows.ts";
import type { Event } from "../schema.ts";
import { taskTitle } from "../tasks/task-title.ts";
import type { Run, RunPage, RunPath, RunSort, RunStatus, RunsQuery } from "./schema.ts";

export type RunContext = Pick<FeedContext, "data" | "config" | "now">;

/** Runs without an event since this time are lost. */
export const lostBefore = ({ config, now }: Pick<RunContext, "config" | "now">): Micros =>
  now() - config.runTimeoutSeconds * secondMicros;

/**
 * One page of runs, by default newest event first.
 * @throws 400 for an unknown lane, 404 for a project that the caller may not see
 */
export async function listRuns(
  ctx: RunContext,
  { sort = "recent", ...filtered }: RunsQuery,
  caller: Viewer,
): Promise<RunPage> {
  requireLane(ctx.config, filtered.lane);
  if (sort !== "recent") return sortedRuns(ctx, { ...filtered, sort }, caller);
  const { limit = 50, cursor, ...query } = filtered;
  const before = cursor === undefined ? undefined : (readCursor(cursor).ts ?? 0);
  const page = await ctx.data.runs(caller.projects, {
    ...statusRange(query, lostBefore(ctx)),
    ...(before !== undefined && { before }),
    limit: limit + 1, // one more tells whether there are older runs
  });
  const rows = page.runs.slice(0, limit);
  const next = page.runs.length > limit ? (rows.at(-1)?.listed_at ?? null) : page.next;
  return {
    runs: rows.map((row) => toRun(row, ctx)),
    count: rows.length,
    next_cursor: next === null ? null : cursorOf(next),
  };
}

/** Runs that are sorted by anything but their newest event. */
const sortedMax = 500;

/** The cursor of a sorted list is the number of runs on the pages before. */
async function sortedRuns(
  ctx: RunContext,
  { limit = 50, cursor, sort, ...query }: RunsQuery & { sort: Exclude<RunSort, "recent"> },
  { projects }: Viewer,
): Promise<RunPage> {
  const start = cursor === undefined ? 0 : (readCursor(cursor).ts ?? 0);
  const page = await ctx.data.runs(projects, { ...statusRange(query, lostBefore(ctx)), limit: sortedMax });
  const keyOf = sortKeys[sort];
  const rows = page.runs.toSorted((a, b) => keyOf(b) - keyOf(a));
  const end = start + limit;
  const runs = rows.slice(start, end).map((row) => toRun(row, ctx));
  return { runs, count: runs.length, next_cursor: end < rows.length ? cursorOf(end) : null };
}

const sortKeys: Record<Exclude<RunSort, "recent">, (run: RunRow) => number> = {
  cost: ({ cost_equiv }) => cost_equiv,
  duration: ({ duration_ms }) => duration_ms ?? -1,
  steps: ({ steps }) => steps,
};

/** The stored status and the times of the newest event that select runs of a status. */
function statusRange(
  { status, ...filter }: Omit<RunsQuery, "limit" | "cursor" | "sort">,
  lost: Micros,
): Omit<RunQuery, "limit"> {
  if (status === "lost") return { ...filter, status: "running", eventBefore: lost };
  if (status === "running") return { ...filter, status, eventAfter: lost - 1 };
  return { ...filter, ...(status && { status }) };
}

/** The status of a run. @param lost running ones without an event since this time are lost */
export const statusOf = ({ status, last_event_at }: RunRow, lost: Micros): RunStatus =>
  status === "running" && last_event_at < lost ? "lost" : status;

/** The number of the task that a run is for: its own or that of its pull request; see core/task-key.ts. */
export const taskIssue = ({ issue, issue_of_pr }: Pick<RunRow, "issue" | "issue_of_pr">): number | null =>
  issue ?? issue_of_pr;

/** The task that a run is for, as the API returns it. */
export const taskOfRun = (
  row: Pick<RunRow, "issue" | "issue_of_pr" | "task">,
): Pick<Run, "issue" | "task"> => ({
  issue: issueOnly(taskIssue(row)),
  task: row.task,
});

/** A run as the API returns it. */
export function toRun(row: RunRow, ctx: Pick<RunContext, "config" | "now">): Run {
  const {
    rule_key: _,
    listed_at: __,
    issue_of_pr: ___,
    opened_task: ____,
    branch: _____,
    brief,
    ...run
  } = row;
  return {
    ...run,
    title: runTitle(row, ctx.config),
    issue: issueOnly(taskIssue(row)),
    status: statusOf(row, lostBefore(ctx)),
    started_at: fromMicros(row.started_at),
    ended_at: row.ended_at === null ? null : fromMicros(row.ended_at),
    waiting_since: row.waiting_since === null ? null : fromMicros(row.waiting_since),
    last_event_at: fromMicros(row.last_event_at),
    brief: brief && { ...brief, at: fromMicros(brief.at) },
  };
}

/** The most projects that have a run of one id, as a page lets its reader choose. */
const choicesMax = 20;

/** The projects with a run of this id. */
export const projectsWithRun = (
  { data }: Pick<FeedContext, "data">,
  id: string,
  { projects }: Viewer,
): Promise<string[]> => data.projectsOfRun(projects, id, choicesMax);

/** @throws 404 for an unknown run or project, 400 when several projects have a run of this id */
export async function requireRun(
  { data }: Pick<FeedContext, "data">,
  { id, project }: RunPath,
  { projects }: Viewer,
): Promise<RunRow> {
  if (project !== undefined && !(await data.project(projects, project))) throw noProject(project);
  const [slug, other] = project === undefined ? await data.projectsOfRun(projects, id, 2) : [project];
  if (other !== undefined)
    throw badRequest(`Several projects have a run '${id}'. Add project, for example project=${slug}.`);
  const run = slug === undefined ? null : await data.run(projects, slug, id);
  if (!run) throw notFound(`No run with id '${id}'.`);
  return run;
}

type Titled = Pick<RunRow, "id" | "actor" | "branch" | "opened_task" | "summary" | "assets" | "decisions">;

/** The title of the task of a run, empty or null without one. */
export const taskTitleOf = ({ opened_task }: Pick<RunRow, "opened_task">): string | null =>
  opened_task && taskTitle((JSON.parse(opened_task) as Event).summary);

/**
 * What a run is called: the title of its task; else its branch; else its summary or, of an agent, what it
 * made. A summary of an agent, which can repeat a prompt, is never the title; people and pipelines name their
 * commands and workflows there.
 */
export function runTitle(
  { id, actor, branch, summary, assets, decisions, ...run }: Titled,
  config: RunContext["config"],
): string {
  const task = taskTitleOf(run);
  if (task || branch) return task || (branch as string);
  if (/^(human|runner):/.test(actor)) return summary || `Run ${id}`;
  const made = [counted(assets, "asset"), counted(decisions, "decision")].filter(Boolean).join(" and ");
  const name = actorLabel(actor, config);
  return made ? `${made} by ${name}` : `Run of ${name}`;
}

const counted = (count: number, noun: string): string =>
  count === 0 ? "" : `${count} ${noun}${count === 1 ? "" : "s"}`;
