/** What `svc top` shows, and how events change it. */
import { dayOf, toMicros } from "../../src/core/lib/time.ts";
import { kinds, kindsWith } from "../../src/feed/kinds.ts";
import { groupBySet } from "../../src/library/variant-sets/group.ts";
import type { ApiAccess } from "../api.ts";
import { ApiError, type Schemas, unwrap } from "../client/client.ts";

type Event = Schemas["Event"];
type Run = Schemas["Run"];
type Asset = Schemas["Asset"];

/** A pending asset, or the newest variant of a set with several pending ones. */
export interface WaitingReview {
  asset: Asset;
  /** Pending variants of the set; 1 for an asset. */
  variants: number;
}

export interface TopState {
  /** What needs the reader: the list and the count of the inbox. */
  needs: Schemas["Inbox"];
  /** Runs in flight, newest event first. */
  runs: Run[];
  /** The newest failures of the last 24 hours that are not repaired, newest first. */
  failures: Event[];
  /** How many there are, up to 100. */
  failureCount: number;
  /** USD since midnight UTC. */
  spentToday: number;
  /** Null without the scope `assets:read`. */
  reviews: WaitingReview[] | null;
  /** How many wait, up to 100. */
  reviewCount: number;
  /** The UTC day that `spentToday` counts. */
  day: string;
  /** Time of the newest event that is included, RFC 3339. */
  head: string;
}

/** Failures that are shown. */
const windowMs = 24 * 3_600_000;
const pageLength = 200;

/** Loads the state. Events after `head` are applied with `applyEvent`. */
export async function loadTop({ api }: Pick<ApiAccess, "api">, nowMs: number): Promise<TopState> {
  const after = new Date(nowMs - windowMs).toISOString();
  const newest = await unwrap(api.GET("/feed", { params: { query: { limit: 1 } } }));
  const head = newest.events[0]?.ts ?? after;
  const [running, { needs, failures, spend, reviews: waiting }, reviews] = await Promise.all([
    unwrap(api.GET("/runs", { params: { query: { status: "running", limit: pageLength } } })),
    unwrap(api.GET("/today", { params: { query: { since: after } } })),
    loadReviews({ api }),
  ]);
  return {
    needs,
    runs: running.runs,
    failures: failures.events,
    failureCount: failures.count,
    spentToday: spend.today,
    reviews: reviews && waitingReviews(reviews.assets),
    reviewCount: waiting?.count ?? 0,
    day: dayOf(nowMs * 1_000),
    head,
  };
}

/** The variants of a set are one. What repeats a rejected file comes last. */
function waitingReviews(assets: readonly Asset[]): WaitingReview[] {
  const { single, sets } = groupBySet(assets);
  const reviews = [
    ...single.map((asset) => ({ asset, variants: 1 })),
    ...sets.map(({ variants }) => ({ asset: variants[0], variants: variants.length })),
  ];
  return reviews.sort(
    ({ asset: a }, { asset: b }) =>
      Number(Boolean(a.repeats)) - Number(Boolean(b.repeats)) || (a.created_at < b.created_at ? 1 : -1),
  );
}

async function loadReviews({ api }: Pick<ApiAccess, "api">): Promise<Schemas["AssetList"] | null> {
  try {
    return await unwrap(api.GET("/assets", { params: { query: { status: "pending", limit: pageLength } } }));
  } catch (error) {
    if (error instanceof ApiError && error.status === 403) return null;
    throw error;
  }
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
