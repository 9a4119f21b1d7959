/** What `svc top` shows, and how events change it. */
import { dayOf, toMicros } from "../../src/lib/time.ts";
import type { ApiAccess } from "../api.ts";
import { ApiError, type Schemas, unwrap } from "../client/client.ts";

type Event = Schemas["Event"];
type Asset = Schemas["Asset"];

export interface TopState {
  /** Starts of runs that have not ended, newest first. */
  runs: Event[];
  /** Newest first, of the last 24 hours. */
  failures: Event[];
  /** USD since midnight UTC. */
  spentToday: number;
  /** Null without the scope `assets:read`. */
  reviews: Asset[] | null;
  /** There are more pending reviews than listed. */
  hasMoreReviews: boolean;
  /** The UTC day that `spentToday` counts. */
  day: string;
  /** Time of the newest event that is included, RFC 3339. */
  head: string;
}

const hourMs = 3_600_000;
/** A run that started longer ago and has not ended was probably abandoned without an event. */
const windowMs = 24 * hourMs;
const pageLength = 200;

const ends = new Set(["run.finished", "run.failed"]);
const failureKinds = new Set(["run.failed", "preview.failed"]);

/** Loads the state. Events after `head` are applied with `applyEvent`. */
export async function loadTop({ api }: Pick<ApiAccess, "api">, nowMs: number): Promise<TopState> {
  const after = new Date(nowMs - windowMs).toISOString();
  const newest = await unwrap(api.GET("/feed", { params: { query: { limit: 1 } } }));
  const head = newest.events[0]?.ts ?? after;
  const eventsOf = async (kind: "run.started" | "run.finished" | "run.failed" | "preview.failed") =>
    (await unwrap(api.GET("/feed", { params: { query: { kind, after, limit: pageLength } } }))).events;
  const [started, finished, failed, previews] = await Promise.all([
    eventsOf("run.started"),
    eventsOf("run.finished"),
    eventsOf("run.failed"),
    eventsOf("preview.failed"),
  ]);
  const [{ spend }, reviews] = await Promise.all([unwrap(api.GET("/today")), loadReviews({ api })]);
  return {
    runs: openRuns([...started, ...finished, ...failed]),
    failures: [...failed, ...previews].toSorted(newestFirst),
    spentToday: spend.today,
    reviews: reviews?.assets ?? null,
    hasMoreReviews: reviews?.next_cursor != null,
    day: dayOf(nowMs * 1_000),
    head,
  };
}

const newestFirst = (a: Event, b: Event): number => toMicros(b.ts) - toMicros(a.ts);

/** Without an id of their run, the next end of the same actor, project and issue ends it. */
const runKey = ({ project, run_id, actor, issue, pr, lane }: Event): string =>
  JSON.stringify(run_id ? [project, run_id] : [project, actor, issue, pr, lane]);

function openRuns(events: Event[]): Event[] {
  const open = new Map<string, Event>();
  for (const event of events.toSorted((a, b) => -newestFirst(a, b)))
    if (ends.has(event.kind)) open.delete(runKey(event));
    else open.set(runKey(event), event);
  return [...open.values()].toSorted(newestFirst);
}

async function loadReviews({ api }: Pick<ApiAccess, "api">): Promise<Schemas["AssetList"] | null> {
  try {
    return await unwrap(api.GET("/assets", { params: { query: { status: "pending", limit: pageLength } } }));
  } catch (error) {
    if (error instanceof ApiError && error.status === 403) return null;
    throw error;
  }
}

/**
 * The state after an event. Null if it has to be loaded again: the review queue changed, or a new day began.
 */
export function applyEvent(state: TopState, event: Event, nowMs: number): TopState | null {
  if (event.kind.startsWith("asset.") || dayOf(nowMs * 1_000) !== state.day) return null;
  if (toMicros(event.ts) <= toMicros(state.head)) return state;
  const others = state.runs.filter((run) => runKey(run) !== runKey(event));
  return {
    ...state,
    runs: event.kind === "run.started" ? [event, ...others] : ends.has(event.kind) ? others : state.runs,
    failures: failureKinds.has(event.kind) ? [event, ...state.failures] : state.failures,
    spentToday: state.spentToday + (event.cost_equiv ?? 0),
    head: event.ts,
  };
}
