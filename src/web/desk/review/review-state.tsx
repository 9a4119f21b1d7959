/** What is known of the review of an asset, beside its file: the verdicts, and what they changed. */

import { withoutCoordinates } from "../../../library/annotations/text.ts";
import type { AssetDetail } from "../../../library/assets/schema.ts";
import { hasRight } from "../../../library/shares/guest.ts";
import type { ReviewState as State } from "../../../library/verdicts/review-state.ts";
import { Actor } from "../../actor.tsx";
import { deskUrl, Status } from "../../assets/asset.tsx";
import { hasScope } from "../../layout.tsx";
import { Time } from "../../time.tsx";
import { Approvals } from "../../verdicts/approvals.tsx";
import type { View } from "../../view.ts";
import { type Rejection, RejectionCard } from "./rejection-card.tsx";
import { AskForm } from "./review-request.tsx";

interface ReviewStateProps {
  asset: AssetDetail;
  view: View;
  state: State;
  /** What the last rejection changed. */
  rejection: Rejection | null;
}

export function ReviewState(props: ReviewStateProps) {
  const { asset, view, state } = props;
  const { guest } = view;
  if (guest && !hasRight(guest.share, "verdict")) return null;
  if (guest && asset.status === "pending" && !state.own) return null;
  return (
    <section class="review-state">
      <h2>{guest ? "Your review" : "Review"}</h2>
      {guest ? <GuestState asset={asset} own={state.own} /> : <TeamState {...props} />}
      {!guest && asset.status === "pending" && hasScope(view, "assets:write") && (
        <AskForm id={asset.id} view={view} request={asset.review_request} />
      )}
    </section>
  );
}

/** What a guest knows of the review: their own part of it. */
function GuestState({ asset, own }: Pick<ReviewStateProps, "asset"> & Pick<State, "own">) {
  if (asset.status !== "pending") return <p class="soft">This version was reviewed: {asset.status}.</p>;
  return (
    own && (
      <p class="soft">You {own.decision} this version. Others still decide; you can change your review.</p>
    )
  );
}

function TeamState({ asset, view, state, rejection }: ReviewStateProps) {
  const newest = asset.versions.at(-1);
  const verdict = asset.versions.find(({ id }) => id === asset.id)?.verdict;
  return (
    <>
      {asset.reviewed_by && asset.reviewed_at && (
        <div class="current-review">
          <p>
            <Status status={asset.verdicts.at(-1)?.decision ?? verdict ?? asset.status} /> by{" "}
            <Actor of={asset.reviewed_by} />, <Time ts={asset.reviewed_at} />
          </p>
          {asset.review_note && <p class="note">{withoutCoordinates(asset.review_note)}</p>}
          {rejection && <RejectionCard asset={asset} rejection={rejection} view={view} />}
        </div>
      )}
      <Approvals asset={asset} view={view} state={state} />
      {asset.status === "superseded" && newest && (
        <p class="soft">
          Replaced by <a href={deskUrl(newest, view.url)}>version {newest.version}</a>.
        </p>
      )}
    </>
  );
}
