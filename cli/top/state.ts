/** What `svc top` shows, and how events change it. */
import { dayOf, toMicros } from "../../src/core/lib/time.ts";
import { kinds, kindsWith } from "../../src/feed/kinds.ts";
import type { ApiAccess } from "../api.ts";
import { type Schemas, unwrap } from "../client/client.ts";

type Event = Schemas["Event"];
type Run = Schemas["Run"];

export interface TopState {
  /** What needs the reader: the list and the count of the inbox. */
  needs: Schemas["Inbox"];
  /** Runs in flight, newest event first; before them those whose agents ask for an answer. */
  runs: Run[];
  /** USD since midnight UTC. */
  spentToday: number;
  /** Whether the token may read assets. */
  canReadAssets: boolean;
  /** The UTC day that `spentToday` counts. */
  day: string;
  /** Time of the newest event that is included, RFC 3339. */
  head: string;
}

const pageLength = 200;

/** Loads the state. Events after `head` are applied with `applyEvent`. */
export async function loadTop({ api }: Pick<ApiAccess, "api">, nowMs: number): Promise<TopState> {
  const newest = await unwrap(api.GET("/feed", { params: { query: { limit: 1 } } }));
  const runsOf = (status: "waiting" | "running") =>
    unwrap(api.GET("/runs", { params: { query: { status, limit: pageLength } } }));
  const [waiting, running, { needs, spend, reviews }] = await Promise.all([
    runsOf("waiting"),
    runsOf("running"),
    unwrap(api.GET("/today")),
  ]);
  return {
    needs,
    runs: [...waiting.runs, ...running.runs],
    spentToday: spend.today,
    canReadAssets: reviews !== null,
    day: dayOf(nowMs * 1_000),
    head: newest.events[0]?.ts ?? new Date(nowMs).toISOString(),
  };
}

const reloading = kindsWith("top");
const others: ReadonlySet<string> = new Set(kinds.filter((kind) => !reloading.includes(kind)));

/** Whether the lists have to be loaded again: also after an event of a kind that only a newer server knows. */
const changesLists = ({ kind }: Event): boolean => !others.has(kind);

/**
 * The state after an event. Null if it has to be loaded again: a run or an asset changed, or a new day began.
 */
export function applyEvent(state: TopState, event: Event, nowMs: number): TopState | null {
  if (toMicros(event.ts) <= toMicros(state.head)) return state;
  if (changesLists(event) || dayOf(nowMs * 1_000) !== state.day) return null;
  return {
    ...state,
    spentToday: state.spentToday + (event.cost_equiv ?? 0),
    head: event.ts,
  };
}
