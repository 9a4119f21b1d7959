/** Shared by the library and the review desk: URLs, thumbnails, status, the review notice. */

import { actorName } from "../../core/auth/actor-name.ts";
import { isolateBidi } from "../../core/lib/strings/display-text.ts";
import type { Asset, AssetDetail, AssetVersion } from "../../library/assets/schema.ts";
import { getAsset } from "../../library/operations/assets.ts";
import type { EarlierVersion } from "../../library/verdicts/earlier.ts";
import { loadReviewState } from "../../library/verdicts/review-state.ts";
import type { Decision } from "../../library/verdicts/schema.ts";
import { waitingText } from "../../library/verdicts/text.ts";
import { Actor } from "../actor.tsx";
import { Icon, type IconName, StatusLabel, type Tone } from "../icons/icons.tsx";
import { hasScope } from "../layout.tsx";
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

const statusStyles: Record<Asset["status"], [IconName, Tone]> = {
  pending: ["clock", "warn"],
  approved: ["check", "good"],
  rejected: ["cross", "bad"],
  superseded: ["layers", "quiet"],
  published: ["globe", "good"],
};

export function Status({ status }: Pick<Asset, "status">) {
  const [icon, tone] = statusStyles[status];
  return <StatusLabel icon={icon} tone={tone} text={status} />;
}

/** The status of an asset in a list: of a version that was replaced, the verdict that it had. */
export function ListedStatus({ status, verdict }: Pick<Asset, "status"> & { verdict: Decision | undefined }) {
  if (status !== "superseded" || !verdict) return <Status status={status} />;
  return (
    <>
      <Status status={verdict} /> <span class="soft">replaced</span>
    </>
  );
}

type StatedVersion = Pick<AssetVersion, "version" | "status" | "verdict" | "reviewed_by">;

/** What a review said of a version, and who; of one that was replaced, the verdict that it had, and the next version. */
export function VersionStatus({ version: stated }: { version: StatedVersion }) {
  const { version, status, verdict, reviewed_by } = stated;
  const replaced = status === "superseded" ? `replaced by version ${version + 1}` : "";
  if (replaced && !verdict) return <span class="soft">{replaced}, not reviewed</span>;
  return (
    <>
      <Status status={(replaced && verdict) || status} />{" "}
      <span class="soft">
        {reviewed_by && (
          <>
            by <Actor of={reviewed_by} />
            {replaced && ", "}
          </>
        )}
        {replaced}
      </span>
    </>
  );
}

/** `version 1 was rejected by jonas` */
export function earlierText({ version, verdict, reviewed_by }: EarlierVersion): string {
  const by = reviewed_by ? ` by ${isolateBidi(actorName(reviewed_by))}` : "";
  return verdict ? `version ${version} was ${verdict}${by}` : `version ${version} was not reviewed`;
}

export interface Reviewed {
  asset: AssetDetail;
  /** The id of the decision that its rejection became. */
  decision: number | null;
}

/** The asset that was just reviewed by a form without scripts, named in the URL. */
export async function loadReviewed(view: View): Promise<Reviewed | null> {
  const id = view.url.searchParams.get("reviewed");
  if (!id) return null;
  const asset = await callOperation<AssetDetail>(view, getAsset, { id });
  const isTold = asset.status === "rejected" && hasScope(view, "memory:read");
  const state = isTold ? await loadReviewState(view.ctx, asset, view.visitor.caller) : null;
  return { asset, decision: state?.decision ?? null };
}

export function ReviewedNotice({ reviewed }: { reviewed: Reviewed | null }) {
  if (!reviewed) return null;
  const { asset, decision } = reviewed;
  return (
    <p class="notice good" role="status">
      <a href={`/assets/${asset.id}`}>
        <bdi>{asset.title}</bdi>
      </a>
      , version {asset.version}, is now {asset.status}
      {asset.approvals && asset.approvals.missing.length > 0 && `: ${waitingText(asset.approvals)}`}.
      {decision !== null && (
        <>
          {" "}
          <a href={`/memory/decisions/${decision}`}>Decision {decision}</a> carries your note to the next
          brief.
        </>
      )}
    </p>
  );
}
