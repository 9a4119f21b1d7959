/** @jsxImportSource preact */
/** Shared by the library and the review desk: URLs, thumbnails, status, the review notice. */

import type { Asset, AssetDetail, AssetVersion } from "../../library/assets/schema.ts";
import { getAsset } from "../../library/operations/assets.ts";
import { waitingText } from "../../library/verdicts/text.ts";
import { Icon, type IconName } from "../icons/icons.tsx";
import { callOperation, type View } from "../view.ts";
import { filterQuery } from "./filters.tsx";
import { kindRows } from "./kinds.ts";

/** The URL of an asset's review page; keeps the filters of the list. */
export const deskUrl = ({ id }: Pick<Asset, "id">, url: URL): string => `/assets/${id}${filterQuery(url)}`;

export const KindIcon = ({ kind }: Pick<Asset, "kind">) => <Icon name={kindRows[kind].icon} />;

/** The picture that svc draws of a file without a thumbnail. */
export const drawnPath = ({ id }: Pick<Asset, "id">): string => `/assets/${id}/picture`;

export const SmallThumb = ({ asset }: { asset: Pick<Asset, "id" | "thumb_url"> }) => (
  <span class="small-thumb">
    <img src={asset.thumb_url ?? drawnPath(asset)} alt="" loading="lazy" />
  </span>
);

const statusStyles: Record<Asset["status"], [IconName, string]> = {
  pending: ["clock", "warn"],
  approved: ["check", "good"],
  rejected: ["cross", "bad"],
  superseded: ["layers", "quiet"],
  published: ["globe", "good"],
};

export function Status({ status }: Pick<Asset, "status">) {
  const [icon, tone] = statusStyles[status];
  return (
    <span class={`status ${tone}`}>
      <Icon name={icon} /> {status}
    </span>
  );
}

/** What a review said of a version; of one that was replaced, the verdict that it had. */
export function VersionStatus({ version }: { version: Pick<AssetVersion, "status" | "verdict"> }) {
  const { status, verdict } = version;
  if (status !== "superseded") return <Status status={status} />;
  return (
    <>
      {verdict && <Status status={verdict} />}{" "}
      <span class="soft">{verdict ? "replaced" : "replaced unreviewed"}</span>
    </>
  );
}

/** The asset that was just reviewed by a form without scripts, named in the URL. */
export async function loadReviewed(view: View): Promise<AssetDetail | null> {
  const id = view.url.searchParams.get("reviewed");
  return id ? callOperation<AssetDetail>(view, getAsset, { id }) : null;
}

export const ReviewedNotice = ({ asset }: { asset: AssetDetail | null }) =>
  asset && (
    <p class="notice good" role="status">
      <a href={`/assets/${asset.id}`}>
        <bdi>{asset.title}</bdi>
      </a>
      , version {asset.version}, is now {asset.status}
      {asset.approvals && asset.approvals.missing.length > 0 && `: ${waitingText(asset.approvals)}`}.
    </p>
  );
