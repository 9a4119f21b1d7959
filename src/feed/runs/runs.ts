/** Reads runs: the list, and one run with what belongs to it. */
import type { Caller } from "../../core/auth/caller.ts";
import type { Context } from "../../core/context.ts";
import { cursorOf, readCursor } from "../../core/lib/cursor.ts";
import { fromMicros, type Micros, secondMicros } from "../../core/lib/time.ts";
import { badRequest, noProject, notFound } from "../../core/problem.ts";
import { requireLane } from "../feed.ts";
import { toDecision } from "../projects/projects.ts";
import type { RunQuery, RunRow } from "./port.ts";
import type { Run, RunDetail, RunPage, RunPath, RunStatus, RunsQuery } from "./schema.ts";
import { titleOf } from "./title.ts";

type RunContext = Pick<Context, "data" | "config" | "now">;

/** Runs without an event since this time are lost. */
export const lostBefore = ({ config, now }: Pick<RunContext, "config" | "now">): Micros =>
  now() - config.runTimeoutSeconds * secondMicros;

/**
 * One page of runs, newest event first.
 * @throws 400 for an unknown lane, 404 for a project that the caller may not see
 */
export async function listRuns(
  ctx: RunContext,
  { limit = 50, cursor, ...query }: RunsQuery,
  caller: Pick<Caller, "projects">,
): Promise<RunPage> {
  requireLane(ctx.config, query.lane);
  const lost = lostBefore(ctx);
  const before = cursor === undefined ? undefined : (readCursor(cursor).ts ?? 0);
  const page = await ctx.data.runs(caller.projects, {
    ...statusRange(query, lost),
    ...(before !== undefined && { before }),
    limit: limit + 1, // one more tells whether there are older runs
  });
  const rows = page.runs.slice(0, limit);
  const next = page.runs.length > limit ? (rows.at(-1)?.listed_at ?? null) : page.next;
  return {
    runs: rows.map((row) => toRun(row, lost)),
    count: rows.length,
    next_cursor: next === null ? null : cursorOf(next),
  };
}

/** The stored status and the times of the newest event that select runs of a status. */
function statusRange(
  { status, ...filter }: Omit<RunsQuery, "limit" | "cursor">,
  lost: Micros,
): Omit<RunQuery, "limit"> {
  if (status === "lost") return { ...filter, status: "running", eventBefore: lost };
  if (status === "running") return { ...filter, status, eventAfter: lost - 1 };
  return { ...filter, ...(status && { status }) };
}

/** The status of a run. @param lost running ones without an event since this time are lost */
export const statusOf = ({ status, last_event_at }: RunRow, lost: Micros): RunStatus =>
  status === "running" && last_event_at < lost ? "lost" : status;

/** The issue that a run is for: its own or that of its pull request. */
export const taskIssue = ({ issue, issue_of_pr }: Pick<RunRow, "issue" | "issue_of_pr">): number | null =>
  issue ?? issue_of_pr;

/** A run as the API returns it. @param lost runs without an event since this time are lost */
export function toRun(row: RunRow, lost: Micros): Run {
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
    title: titleOf(row),
    issue: taskIssue(row),
    status: statusOf(row, lost),
    started_at: fromMicros(row.started_at),
    ended_at: row.ended_at === null ? null : fromMicros(row.ended_at),
    last_event_at: fromMicros(row.last_event_at),
    brief: brief && { ...brief, at: fromMicros(brief.at) },
  };
}

/** The most rows of each kind in the details of a run. */
const detailsMax = { children: 50, assets: 200, decisions: 200, briefs: 50, recalls: 200, events: 200 };

/**
 * One run with what belongs to it.
 * @throws 404 for an unknown run, 400 when several projects have one of this id
 */
export async function getRun(
  ctx: RunContext,
  path: RunPath,
  caller: Pick<Caller, "projects">,
): Promise<RunDetail> {
  const { data } = ctx;
  const row = await requireRun(ctx, path, caller);
  const lost = lostBefore(ctx);
  const [attempts, children, assets, decisions, briefs, recalls, events] = await Promise.all([
    data.runAttempts(row),
    data.runs([row.project], { project: row.project, parent: row.id, limit: detailsMax.children }),
    data.runAssets(row, detailsMax.assets),
    data.runDecisions(row, detailsMax.decisions),
    data.runBriefs(row, detailsMax.briefs),
    data.runRecalls(row, detailsMax.recalls),
    data.runEvents(row, { limit: detailsMax.events }),
  ]);
  const attempt = (run: RunRow | null) =>
    run && { id: run.id, status: statusOf(run, lost), started_at: fromMicros(run.started_at) };
  return {
    ...toRun(row, lost),
    previous: attempt(attempts.previous),
    next: attempt(attempts.next),
    children: children.runs.map((run) => toRun(run, lost)),
    assets_made: assets.map(({ id, title, version, status }) => ({ id, title, version, status })),
    decisions_made: decisions.map(toDecision),
    briefs: briefs.map((brief) => ({ ...brief, at: fromMicros(brief.at) })),
    recalls: recalls.map((recall) => ({ ...recall, at: fromMicros(recall.at) })),
    events: events.map(({ wire }) => JSON.parse(wire)),
  };
}

/** @throws 404 for an unknown run or project, 400 when several projects have a run of this id */
export async function requireRun(
  { data }: Pick<Context, "data">,
  { id, project }: RunPath,
  { projects }: Pick<Caller, "projects">,
): Promise<RunRow> {
  if (project !== undefined && !(await data.project(projects, project))) throw noProject(project);
  const [slug, other] = project === undefined ? await data.projectsOfRun(projects, id, 2) : [project];
  if (other !== undefined)
    throw badRequest(`Several projects have a run '${id}'. Add project, for example project=${slug}.`);
  const run = slug === undefined ? null : await data.run(projects, slug, id);
  if (!run) throw notFound(`No run with id '${id}'.`);
  return run;
}
