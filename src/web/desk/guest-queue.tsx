/** The queue or set of a share link: its strip below the file, where a verdict leads, and what is there without one. */
import type { Context } from "../../api/context.ts";
import type { AssetRow } from "../../library/rows.ts";
import { thumbUrl } from "../../library/shares/access.ts";
import type { ShareRow } from "../../library/shares/rows.ts";
import { type SharedItem, sharedItems } from "../../library/shares/subject.ts";
import type { ShareVisitor } from "../../library/shares/visits.ts";
import { Icon } from "../icons/icons.tsx";
import { Notice } from "../notice.tsx";
import type { Page } from "../view.ts";
import { Frame } from "./filmstrip.tsx";
import { doneParameter, guestPath, noticeOf } from "./guest.tsx";
import { assetParameter } from "./guest-versions.tsx";
import { beforeMax, framesMax } from "./queue.ts";

const itemUrl = (share: ShareRow, { id }: Pick<AssetRow, "id">): string =>
  `${guestPath({ share })}?${assetParameter}=${id}`;

interface GuestQueueProps {
  ctx: Context;
  share: ShareRow;
  items: readonly SharedItem[];
  /** Id of the asset that is shown, whether it is one of them or not. */
  current: string | null;
}

/** A script replaces it, so that new assets of the queue appear. Nothing for a share of one asset. */
export function GuestQueue({ ctx, share, items, current }: GuestQueueProps) {
  if (share.subject === "asset") return null;
  const at = items.findIndex(({ id }) => id === current);
  const [previous, next] = [items[at - 1], items[at + 1]];
  const live = `${guestPath({ share })}/queue${current === null ? "" : `?${assetParameter}=${current}`}`;
  return (
    <nav class="queue" aria-label="Queue" id="guest-queue" data-live={live}>
      {previous && (
        <a class="button" id="previous" href={itemUrl(share, previous)} rel="prev">
          <Icon name="back" /> <span class="visually-hidden">Previous</span>
        </a>
      )}
      {items.length > 0 && (
        <ol class="frames-of-queue" tabIndex={-1}>
          {items
            .slice(Math.max(0, at - beforeMax))
            .slice(0, framesMax)
            .map((item) => (
              <Frame
                key={item.id}
                asset={item}
                picture={<ItemPicture share={share} item={item} thumb={thumbUrl(ctx, share, item)} />}
                href={itemUrl(share, item)}
                isCurrent={item.id === current}
                state={stateOf(item)}
              />
            ))}
        </ol>
      )}
      {next && (
        <a class="button" id="next" href={itemUrl(share, next)} rel="next">
          <span class="visually-hidden">Next</span> <Icon name="forward" />
        </a>
      )}
      <span class="soft">{countText(items, at)}</span>
    </nav>
  );
}

interface PictureProps {
  share: ShareRow;
  item: Pick<AssetRow, "id">;
  thumb: string | null;
}

/** The thumbnail, or what svc draws of a file without one. */
export const ItemPicture = ({ share, item, thumb }: PictureProps) => (
  <span class="small-thumb">
    <img
      src={thumb ?? `${guestPath({ share })}/picture?${assetParameter}=${item.id}`}
      alt=""
      loading="lazy"
    />
  </span>
);

/** Of a set, what was decided already. */
const stateOf = ({ status }: SharedItem) =>
  status === "pending" ? null : { short: status, text: status, tone: status === "rejected" ? "bad" : "good" };

function countText(items: readonly SharedItem[], at: number): string {
  const pending = items.filter(({ status }) => status === "pending").length;
  const place = at < 0 ? `${items.length}` : `${at + 1} of ${items.length}`;
  return pending === items.length ? `${place} to review` : `${place}, ${pending} to review`;
}

/** Where a verdict leads: to the next asset that waits, else to the page without one, or the asset of a set. */
export async function urlAfterVerdict(
  ctx: Context,
  { share, asset }: { share: ShareRow; asset: AssetRow },
): Promise<string> {
  const waiting = (await sharedItems(ctx, share)).filter(
    ({ id, status }) => status === "pending" && id !== asset.id,
  );
  const next = waiting.find(({ id }) => id > asset.id) ?? waiting[0];
  const page = next ? itemUrl(share, next) : share.subject === "set" ? itemUrl(share, asset) : null;
  return `${page ? `${page}&` : `${guestPath({ share })}?`}${doneParameter}=verdict`;
}

type PageOfGuest = Omit<Page, "navEntry">;

/** The strip alone. */
export const queuePart = (
  ctx: Context,
  share: ShareRow,
  items: SharedItem[],
  current: string | null,
): PageOfGuest => ({
  title: "Queue",
  body: <GuestQueue ctx={ctx} share={share} items={items} current={current} />,
});

/** The page of a queue in which nothing waits. */
export const emptyQueuePage = (ctx: Context, { share }: ShareVisitor, url: URL): PageOfGuest => {
  const notice = noticeOf(url);
  return {
    title: "Nothing to review",
    islands: ["guest-desk.js"],
    body: (
      <div class="narrow">
        <Notice text={notice} isGood />
        <h1>Nothing to review</h1>
        <p>
          New files appear here as they come. This link stays the same: you can keep this page open, or
          return.
        </p>
        <div hidden>
          <GuestQueue ctx={ctx} share={share} items={[]} current={null} />
        </div>
      </div>
    ),
  };
};

/** The answer for any asset that is not, or no longer, part of what the link shows: the same for every id. */
export const notSharedPage = ({ share }: ShareVisitor): PageOfGuest => ({
  title: "Not part of this link",
  status: 404,
  body: (
    <div class="narrow">
      <h1>This file is not part of this link</h1>
      <p>It may have been reviewed or replaced since you opened it.</p>
      <p>
        <a class="button primary" href={guestPath({ share })}>
          {share.subject === "queue" ? "Go on with the queue" : "Go on with the set"}
        </a>
      </p>
    </div>
  ),
});
