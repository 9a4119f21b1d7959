/** @jsxImportSource preact */
/** The review queue: pending assets before and after the current one, without those the visitor approved. */

import type { Asset, AssetList } from "../../library/assets/schema.ts";
import { listAssets } from "../../library/operations/assets.ts";
import { listReviewRequests } from "../../library/operations/reviews.ts";
import type { ReviewRequestList } from "../../library/review-requests/schema.ts";
import { groupBySet } from "../../library/variant-sets/group.ts";
import { approvedByCaller } from "../../library/verdicts/approvals.ts";
import type { Approvals } from "../../library/verdicts/schema.ts";
import { waitingText } from "../../library/verdicts/text.ts";
import { deskUrl } from "../assets/asset.tsx";
import { assetFilters, filterQuery, withNumbers } from "../assets/filters.tsx";
import { Icon } from "../icons/icons.tsx";
import { hasScope } from "../layout.tsx";
import { callOperation, filtersOf, type View } from "../view.ts";

/** A page of the list: a set is one entry, however many of its variants are there. */
const queueMax = 200;
const requestedMax = 50;
const followingMax = 20;

type QueuedAsset = Pick<Asset, "id">;

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
  /** IDs of the next assets; the script skips those that it holds an unsent review of. */
  following: string[];
}

export async function loadQueue(view: View, id: string): Promise<QueuePosition> {
  const filters = withNumbers(filtersOf(view.url, assetFilters));
  const [{ assets: listed, next_cursor }, requested, approved] = await Promise.all([
    callOperation<AssetList>(view, listAssets, { ...filters, status: "pending", limit: queueMax }),
    loadRequested(view, filters),
    approvedByCaller(view.ctx, view.visitor.caller),
  ]);
  const waiting = listed.filter((asset) => !approved.has(asset.id));
  const pending = filters.set === undefined ? withoutOtherVariants(waiting, id) : waiting;
  const { kind, issue, pr } = filters;
  // Without these filters, assets of the requests may also be beyond the first page.
  const isFiltered = Boolean(kind ?? issue ?? pr);
  const ids = new Set(pending.map((asset) => asset.id));
  const first: QueuedAsset[] = requested.filter((asset) => !isFiltered || ids.has(asset.id));
  const requestedIds = new Set(first.map((asset) => asset.id));
  const others = pending.filter((asset) => !requestedIds.has(asset.id));
  const repeated = others.filter(({ repeats }) => repeats);
  const assets = [...first, ...others.filter(({ repeats }) => !repeats), ...repeated];
  const at = assets.findIndex((asset) => asset.id === id);
  const ahead = [...assets.slice(at + 1), ...assets.slice(0, Math.max(at, 0))];
  return {
    count: assets.length,
    hasMore: next_cursor !== null,
    at,
    next: ahead[0],
    ofVisitor: first.length,
    repeats: repeated.length,
    previous: at > 0 ? assets[at - 1] : undefined,
    following: ahead.slice(0, followingMax).map((asset) => asset.id),
  };
}

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
async function loadRequested(view: View, { project }: Record<string, unknown>): Promise<QueuedAsset[]> {
  if (!hasScope(view, "assets:review")) return [];
  const { review_requests } = await callOperation<ReviewRequestList>(view, listReviewRequests, {
    of: "me",
    limit: requestedMax,
  });
  return review_requests
    .filter((request) => project === undefined || request.project === project)
    .map(({ asset_id }) => ({ id: asset_id }));
}

interface QueueProps {
  queue: QueuePosition;
  view: View;
  /** The approvals of the current asset. */
  approvals: Approvals | null;
}

export function Queue({ queue, view: { url }, approvals }: QueueProps) {
  const { count, hasMore, at, ofVisitor, repeats, previous, next } = queue;
  const all = `${count}${hasMore ? "+" : ""}`;
  return (
    <nav class="queue" aria-label="Queue">
      {previous && (
        <a class="button" id="previous" href={deskUrl(previous, url)} rel="prev" title="Previous (K)">
          <Icon name="back" /> <span class="word">Previous</span>
        </a>
      )}
      <a class="soft" href={`/assets${filterQuery(url, { status: "pending" })}`}>
        {count === 0 ? "No pending assets" : at < 0 ? `${all} pending` : `${at + 1} of ${all} pending`}
        {ofVisitor > 0 && `, ${ofVisitor} asked of you`}
        {repeats > 0 && `, ${repeats} rejected before`}
        {approvals && approvals.have > 0 && approvals.missing.length > 0 && `, ${waitingText(approvals)}`}
      </a>
      {next && (
        <a class="button" id="next" href={deskUrl(next, url)} rel="next" title="Next (J)">
          <span class="word">Next</span> <Icon name="forward" />
        </a>
      )}
    </nav>
  );
}
