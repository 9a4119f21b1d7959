/** The review queue: pending assets before and after the current one, without those the visitor approved. */

import type { Asset, AssetList } from "../../library/assets/schema.ts";
import { listAssets } from "../../library/operations/assets.ts";
import { listReviewRequests } from "../../library/operations/reviews.ts";
import type { ListedReviewRequest, ReviewRequestList } from "../../library/review-requests/schema.ts";
import { groupBySet } from "../../library/variant-sets/group.ts";
import { approvedByCaller } from "../../library/verdicts/approvals.ts";
import { type EarlierVersion, loadEarlierVersions } from "../../library/verdicts/earlier.ts";
import { assetFilters, withNumbers } from "../assets/filters.tsx";
import { hasScope } from "../layout.tsx";
import { callOperation, filtersOf, readFor, type View } from "../view.ts";

/** A page of the list: a set is one entry, however many of its variants are there. */
const queueMax = 200;
const requestedMax = 50;
const followingMax = 20;

/** The filmstrip shows these many before the current asset, so that it is in sight unscrolled, and all in all. */
export const [beforeMax, framesMax] = [2, 24];

export interface QueuedAsset extends Pick<Asset, "id" | "title" | "thumb_url"> {
  /** When a review that the visitor is asked for is due. */
  dueAt: string | null;
  isAsked: boolean;
  /** Whether the same file was rejected before. */
  repeats: boolean;
  /** Undefined beyond the first page of pending assets. */
  version: number | undefined;
  /** The version that it replaced. */
  earlier?: EarlierVersion | undefined;
}

export interface QueuePosition {
  /** Pending assets within the filters, at most `queueMax`. */
  count: number;
  hasMore: boolean;
  /** Index of the current asset; -1: it is not pending. */
  at: number;
  /** How many of them ask the visitor; they come first. */
  ofVisitor: number;
  /** How many repeat a rejected file; they come last, unless they ask the visitor. */
  repeats: number;
  previous: QueuedAsset | undefined;
  next: QueuedAsset | undefined;
  /** Id of the current asset, pending or not. */
  current: string;
  /** The assets around it, in the order of the queue. */
  around: QueuedAsset[];
  /** IDs of the next assets; the script skips those that it holds an unsent review of. */
  following: string[];
}

export interface Waiting {
  assets: Asset[];
  /** Whether there are more than `queueMax`. */
  hasMore: boolean;
}

/** What waits for a verdict of the visitor within filters: pending, and not approved by them already. */
export async function loadWaiting(view: View, filters: Record<string, unknown>): Promise<Waiting> {
  const [{ assets, next_cursor }, approved] = await Promise.all([
    callOperation<AssetList>(view, listAssets, { ...filters, status: "pending", limit: queueMax }),
    approvedByCaller(view.ctx, view.visitor.caller),
  ]);
  return { assets: assets.filter(({ id }) => !approved.has(id)), hasMore: next_cursor !== null };
}

export async function loadQueue(view: View, id: string): Promise<QueuePosition> {
  const filters = withNumbers(filtersOf(view.url, assetFilters));
  const [waiting, requested] = await Promise.all([loadWaiting(view, filters), loadRequested(view, filters)]);
  const pending = filters.set === undefined ? withoutOtherVariants(waiting.assets, id) : waiting.assets;
  const { kind, issue, task, pr } = filters;
  // Without these filters, assets of the requests may also be beyond the first page.
  const isFiltered = Boolean(kind ?? issue ?? task ?? pr);
  const listedById = new Map(pending.map((asset) => [asset.id, asset]));
  const first = requested
    .filter(({ asset_id }) => !isFiltered || listedById.has(asset_id))
    .map((request) => askedAsset(request, listedById.get(request.asset_id)));
  const requestedIds = new Set(first.map((asset) => asset.id));
  const others = pending.filter((asset) => !requestedIds.has(asset.id)).map(unaskedAsset);
  const repeated = others.filter(({ repeats }) => repeats);
  const assets = [...first, ...others.filter(({ repeats }) => !repeats), ...repeated];
  const at = assets.findIndex((asset) => asset.id === id);
  const around = assets.slice(Math.max(0, at - beforeMax)).slice(0, framesMax);
  const earlier = await readFor(
    view,
    loadEarlierVersions(
      view.ctx,
      around.flatMap(({ id }) => listedById.get(id) ?? []),
    ),
  );
  const ahead = [...assets.slice(at + 1), ...assets.slice(0, Math.max(at, 0))];
  return {
    count: assets.length,
    hasMore: waiting.hasMore,
    at,
    next: ahead[0],
    ofVisitor: first.length,
    repeats: repeated.length,
    previous: at > 0 ? assets[at - 1] : undefined,
    current: id,
    around: around.map((asset) => ({ ...asset, earlier: earlier.get(asset.id) })),
    following: ahead.slice(0, followingMax).map((asset) => asset.id),
  };
}

const unaskedAsset = ({ id, title, thumb_url, repeats, version }: Asset): QueuedAsset => ({
  id,
  title,
  thumb_url,
  dueAt: null,
  isAsked: false,
  repeats: Boolean(repeats),
  version,
});

/** @param listed undefined beyond the first page of pending assets */
const askedAsset = (request: ListedReviewRequest, listed: Asset | undefined): QueuedAsset => ({
  id: request.asset_id,
  title: request.title,
  thumb_url: listed?.thumb_url ?? null,
  dueAt: request.due_at,
  isAsked: true,
  repeats: false,
  version: listed?.version,
});

/** Of each set one variant, as the set has a page of its own: the current asset, if it is one of them. */
function withoutOtherVariants(assets: readonly Asset[], id: string): Asset[] {
  const { sets } = groupBySet(assets);
  const others = sets.flatMap(({ variants }) => {
    const shown = variants.find((one) => one.id === id) ?? variants[0];
    return variants.filter((one) => one !== shown);
  });
  const hidden = new Set(others.map((one) => one.id));
  return assets.filter((one) => !hidden.has(one.id));
}

/** The assets that the visitor is asked to review: those due first at the front. */
async function loadRequested(
  view: View,
  { project }: Record<string, unknown>,
): Promise<ListedReviewRequest[]> {
  if (!hasScope(view, "assets:review")) return [];
  const { review_requests } = await callOperation<ReviewRequestList>(view, listReviewRequests, {
    of: "me",
    limit: requestedMax,
  });
  return review_requests.filter((request) => project === undefined || request.project === project);
}
