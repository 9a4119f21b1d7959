/** @jsxImportSource preact */
/** The review queue: pending assets before and after the current one. */
import type { Asset, AssetList } from "../../assets/schema.ts";
import { listAssets } from "../../operations/assets.ts";
import { assetFilters, deskUrl, filterQuery, withNumbers } from "../assets/asset.tsx";
import { Icon } from "../icons/icons.tsx";
import { callOperation, filtersOf, type View } from "../view.ts";

const queueMax = 100;
const followingMax = 20;

export interface QueuePosition {
  /** Pending assets within the filters, at most `queueMax`. */
  count: number;
  hasMore: boolean;
  /** Index of the current asset; -1: it is not pending. */
  at: number;
  previous: Asset | undefined;
  next: Asset | undefined;
  /** IDs of the next assets; the script skips those that it holds an unsent review of. */
  following: string[];
}

export async function loadQueue(view: View, id: string): Promise<QueuePosition> {
  const filters = withNumbers(filtersOf(view.url, assetFilters));
  const { assets, next_cursor } = await callOperation<AssetList>(view, listAssets, {
    ...filters,
    status: "pending",
    limit: queueMax,
  });
  const at = assets.findIndex((asset) => asset.id === id);
  const ahead = [...assets.slice(at + 1), ...assets.slice(0, Math.max(at, 0))];
  return {
    ...{ count: assets.length, hasMore: next_cursor !== null, at, next: ahead[0] },
    previous: at > 0 ? assets[at - 1] : undefined,
    following: ahead.slice(0, followingMax).map((asset) => asset.id),
  };
}

export function Queue({ queue, view: { url } }: { queue: QueuePosition; view: View }) {
  const { count, hasMore, at, previous, next } = queue;
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
      </a>
      {next && (
        <a class="button" id="next" href={deskUrl(next, url)} rel="next" title="Next (J)">
          <span class="word">Next</span> <Icon name="forward" />
        </a>
      )}
    </nav>
  );
}
