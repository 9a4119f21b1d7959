/** What the page of a run shows in addition to the details of the run. */

import { isAllowed } from "../../core/auth/authorization.ts";
import type { Caller } from "../../core/auth/caller.ts";
import type { Micros } from "../../core/lib/time.ts";
import type { FeedFilter } from "../../feed/filters.ts";
import type { ProjectRow, RenderedEvent, RunRow } from "../../feed/rows.ts";
import { readPayload } from "../../feed/runs/payload.ts";
import { requireRun, taskOfRun } from "../../feed/runs/runs.ts";
import type { Event } from "../../feed/schema.ts";
import { toAsset } from "../../library/assets/library.ts";
import type { Asset } from "../../library/assets/schema.ts";
import { groupBySet, loadSetStatuses, type SetStatuses } from "../../library/variant-sets/group.ts";
import type { OverviewContext } from "../context.ts";
import { decisionOf, type Verdict, verdictOf } from "../tasks/attempts.ts";

/** The events of a page of the timeline. */
export const timelineLength = 100;
/** The most events that the charts read. */
export const chartEventsMax = 2_000;
const assetsMax = 200;

/** An event with the times of what it reports, in milliseconds since 1970, by the clock of its sender. */
export interface TimedEvent {
  event: Event;
  began: number;
  ended: number;
}

export interface RunPage {
  project: ProjectRow | null;
  /** A page of the timeline, oldest first. */
  page: {
    events: TimedEvent[];
    /** The `before` of the page with earlier events; null when there are none. */
    earlier: string | null;
    isNewest: boolean;
  };
  /** Its first events, oldest first, for the charts. */
  firstEvents: Event[];
  /** What it made; null if the caller may not read assets. */
  assets: (Asset & { verdict: Verdict })[] | null;
  /** The variants of the sets it made by their status. */
  setStatuses: SetStatuses;
  /** The filters of the feed that select its events. */
  filters: FeedFilter;
}

interface RunPageQuery {
  id: string;
  project: string;
  /** The timeline ends before this time. */
  before: Micros | undefined;
}

/** @throws 404 for an unknown run */
export async function loadRunPage(
  ctx: OverviewContext,
  { id, project: slug, before }: RunPageQuery,
  caller: Caller,
): Promise<RunPage> {
  const { data, config } = ctx;
  const row = await requireRun(ctx, { id, project: slug }, caller);
  const [project, page, firstEvents, assets] = await Promise.all([
    data.project(null, slug),
    loadTimeline(ctx, row, before),
    data.runEvents(row, { limit: chartEventsMax }),
    isAllowed(caller, "assets:read", config) ? loadAssets(ctx, row) : null,
  ]);
  return {
    project,
    page,
    firstEvents: firstEvents.map(toEvent),
    assets,
    setStatuses: await loadSetStatuses(ctx, groupBySet(assets ?? []).sets),
    filters: filtersOf(row),
  };
}

async function loadAssets(ctx: OverviewContext, run: RunRow): Promise<RunPage["assets"]> {
  const rows = await ctx.data.runAssets(run, assetsMax);
  const reviews = rows.flatMap(({ id, set, reviewed_at }) =>
    reviewed_at === null ? [] : [{ id, set, reviewed_at }],
  );
  const decisions = await ctx.data.rejectionDecisions(run.project, reviews);
  return rows.map((row) => {
    const asset = toAsset(ctx, row);
    return {
      ...asset,
      verdict: verdictOf(asset, decisionOf(asset, decisions)),
    };
  });
}

async function loadTimeline(
  { data }: OverviewContext,
  row: RunRow,
  before: Micros | undefined,
): Promise<RunPage["page"]> {
  const found = await data.runEvents(row, {
    ...(before !== undefined && { before }),
    order: "newest first",
    limit: timelineLength + 1, // one more tells whether there are earlier ones
  });
  const events = found.slice(0, timelineLength).reverse().map(toTimedEvent);
  return {
    events,
    earlier: found.length > timelineLength ? (events[0]?.event.ts ?? null) : null,
    isNewest: before === undefined,
  };
}

function toTimedEvent(row: RenderedEvent & { payload: string | null }): TimedEvent {
  const event = toEvent(row);
  const { at } = readPayload(row.payload === null ? null : JSON.parse(row.payload));
  const ended = Math.round((at ?? row.ts) / 1000);
  return { event, began: ended - (event.duration_ms ?? 0), ended };
}

const toEvent = ({ wire }: RenderedEvent): Event => JSON.parse(wire);

/** Without a `run_id`, the events of its actor and task are close enough: a page that is current loads again. */
function filtersOf(row: RunRow): FeedFilter {
  const { id, project, actor, pr, rule_key } = row;
  if (rule_key === null) return { project, run_id: id };
  const { issue, task } = taskOfRun(row);
  const ofPull = pr === null ? {} : { pr };
  return { project, actor, ...(task !== null ? { task } : issue !== null ? { issue } : ofPull) };
}
