/** Loads what the page of a run shows. */
import { type Static, Type } from "@sinclair/typebox";
import { ceilMicros } from "../../core/lib/time.ts";
import { checkInput } from "../../core/lib/validate.ts";
import type { FeedFilter } from "../../feed/filters.ts";
import { FeedQuery } from "../../feed/requests.ts";
import type { ProjectRow, RenderedEvent, RunRow } from "../../feed/rows.ts";
import { requireRun } from "../../feed/runs/runs.ts";
import type { Event } from "../../feed/schema.ts";
import { toAsset } from "../../library/assets/library.ts";
import type { Asset } from "../../library/assets/schema.ts";
import { groupBySet } from "../../library/variant-sets/group.ts";
import { getRun } from "../../overview/operations/runs.ts";
import type { RunDetail } from "../../overview/runs/schema.ts";
import { decisionOf, type Verdict, verdictOf } from "../../overview/tasks/attempts.ts";
import { hasScope } from "../layout.tsx";
import { loadSetStatuses, type SetStatuses } from "../variant-sets/set-card.tsx";
import { callOperation, type View } from "../view.ts";

/** The events of a page of the timeline. */
export const timelineLength = 100;
/** The most events that the charts read. */
export const chartEventsMax = 2_000;
const assetsMax = 200;
const projectsMax = 20;

export interface ShownRun {
  run: RunDetail;
  project: ProjectRow | null;
  /** A page of the timeline, oldest first. */
  page: {
    events: Event[];
    /** The `before` of the page with earlier events; null when there are none. */
    earlier: string | null;
    isNewest: boolean;
  };
  /** Its first events, oldest first, for the charts. */
  firstEvents: Event[];
  /** What it made; null if the visitor may not read assets. */
  assets: (Asset & { verdict: Verdict })[] | null;
  /** The variants of the sets it made by their status. */
  setStatuses: SetStatuses;
  /** The filters of the feed that select its events. */
  filters: FeedFilter;
}

/** The projects with this run, unless the URL names one. */
export async function projectsOfRun(view: View): Promise<string[]> {
  const { ctx, visitor, url, params } = view;
  if (url.searchParams.has("project") || !hasScope(view, "feed:read")) return [];
  return ctx.data.projectsOfRun(visitor.caller.projects, params.id ?? "", projectsMax);
}

/** @throws Problem 404 for an unknown run, 400 for a malformed query */
export async function loadRun(view: View): Promise<ShownRun> {
  const { ctx, visitor, url, params } = view;
  const { data } = ctx;
  const path = { id: params.id ?? "", project: url.searchParams.get("project") };
  // The operation checks the scope, so it comes first.
  const run = await callOperation<RunDetail>(view, getRun, path);
  const row = await requireRun(ctx, { id: run.id, project: run.project }, visitor.caller);
  const [project, page, firstEvents, assets] = await Promise.all([
    data.project(null, run.project),
    loadTimeline(view, row),
    data.runEvents(row, { limit: chartEventsMax }),
    hasScope(view, "assets:read") ? loadAssets(ctx, row) : null,
  ]);
  return {
    run,
    setStatuses: await loadSetStatuses(data, groupBySet(assets ?? []).sets),
    project,
    page,
    firstEvents: firstEvents.map(toEvent),
    assets,
    filters: filtersOf(run, row.rule_key !== null),
  };
}

async function loadAssets(ctx: View["ctx"], run: RunRow): Promise<ShownRun["assets"]> {
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

const TimelineQuery = Type.Object({ before: FeedQuery.properties.before });

async function loadTimeline({ ctx, url }: View, row: RunRow): Promise<ShownRun["page"]> {
  const { before } = checkInput(TimelineQuery, url.searchParams) as Static<typeof TimelineQuery>;
  const found = await ctx.data.runEvents(row, {
    ...(before !== undefined && { before: ceilMicros(before) }),
    order: "newest first",
    limit: timelineLength + 1, // one more tells whether there are earlier ones
  });
  const events = found.slice(0, timelineLength).reverse().map(toEvent);
  return {
    events,
    earlier: found.length > timelineLength ? (events[0]?.ts ?? null) : null,
    isNewest: before === undefined,
  };
}

const toEvent = ({ wire }: RenderedEvent): Event => JSON.parse(wire);

/** Without a `run_id`, the events of its actor and task are close enough: a page that is current loads again. */
function filtersOf({ id, project, actor, issue, pr }: RunDetail, isByRule: boolean): FeedFilter {
  if (!isByRule) return { project, run_id: id };
  return { project, actor, ...(issue !== null ? { issue } : pr !== null && { pr }) };
}
