/** The bar below the file, always in reach: the checklist, the note and the verdict, and publishing. */

import type { FileState } from "../../../library/assets/files/missing-file.ts";
import { mediaUrl } from "../../../library/assets/rendered-asset.ts";
import type { Asset, AssetDetail } from "../../../library/assets/schema.ts";
import type { AnswersInput } from "../../../library/checklists/schema.ts";
import { publishAsset } from "../../../library/operations/assets.ts";
import { hasRight, recipientName } from "../../../library/shares/guest.ts";
import type { ReviewState } from "../../../library/verdicts/review-state.ts";
import type { SentAnnotations } from "../../annotations/asset-annotations.ts";
import { filterQuery } from "../../assets/filters.tsx";
import { hasScope, MissingScope, PostForm } from "../../layout.tsx";
import { Notice } from "../../notice.tsx";
import { removalPath } from "../../removals/removal-page.tsx";
import { ChecklistFields } from "../../verdicts/checklist-fields.tsx";
import { callOperation, type View } from "../../view.ts";
import { GuestName, guestAction } from "../guest.tsx";
import { PromptWarning } from "../provenance.tsx";
import { SentSummary } from "./sent-annotations.tsx";

const reviewable = new Set<Asset["status"]>(["pending", "approved", "rejected"]);

/** A review that was not saved: the error, and what the reviewer wrote. */
export interface RefusedReview {
  message: string;
  note: string;
  checklist?: AnswersInput | undefined;
}

interface ReviewProps {
  asset: AssetDetail & FileState;
  view: View;
  /** The name of the forge that a rejection is posted to. */
  commentsOn: string | null;
  refused?: RefusedReview | undefined;
  /** How many annotations the review takes along. */
  annotations: SentAnnotations;
  state: ReviewState;
}

export function ReviewPanel(props: ReviewProps) {
  const { asset, view, refused } = props;
  const { guest } = view;
  if (guest && !hasRight(guest.share, "verdict")) return null;
  const canReview = guest ? asset.status === "pending" : reviewable.has(asset.status);
  if (!canReview && !refused && !asset.public_url) return null;
  return (
    <section class="review-panel" aria-label="Verdict">
      <Notice text={refused?.message} />
      {canReview ? <ReviewForm {...props} /> : refused?.note && <p class="note">{refused.note}</p>}
      {!guest && asset.status === "approved" && !asset.missing && <PublishForm asset={asset} view={view} />}
      {asset.public_url && <PermanentUrl address={asset.public_url} asset={asset} view={view} />}
    </section>
  );
}

function ReviewForm({ asset, view, commentsOn, refused, annotations, state }: ReviewProps) {
  const { guest } = view;
  if (!guest && !hasScope(view, "assets:review"))
    return <MissingScope view={view} scope="assets:review" to="approve or reject" />;
  const isFirst = guest || (asset.status === "pending" && !state.own);
  const isOwn = asset.approvals && state.isMaker;
  const task = commentsOn ? ` It is also posted to the task on ${commentsOn}, which is reopened.` : "";
  const form = (
    <PostForm
      view={view}
      action={
        guest ? guestAction(view, guest, "verdict") : `/assets/${asset.id}/review${filterQuery(view.url)}`
      }
      id="review"
      class={asset.status === "pending" ? "stack within-reach" : "stack"}
    >
      <input type="hidden" name="sha256" value={asset.sha256} />
      <input type="hidden" name="seen_status" value={asset.status} />
      <input type="hidden" name="seen_reviewed_at" value={asset.reviewed_at ?? ""} />
      <ChecklistFields state={state} given={refused?.checklist} />
      <label>
        Note
        <textarea name="note" rows={2} maxLength={4096} aria-describedby="note-goes">
          {refused?.note}
        </textarea>
      </label>
      <p class="soft" id="note-goes">
        {guest ? (
          `To reject, say what to change: in this note, or as annotations. The team sees your name${
            recipientName(guest.share) === null ? " as you type it, marked as not verified" : ""
          }.`
        ) : (
          <>
            <SentSummary sent={annotations} project={asset.project ?? ""} />
            and part of the next brief.{task}
          </>
        )}
      </p>
      {guest && <GuestName guest={guest} />}
      <p class="buttons">
        {asset.status !== "approved" && !isOwn && !asset.missing && (
          <VerdictButton decision="approved" isGuest={guest !== undefined} />
        )}
        <VerdictButton decision="rejected" isGuest={guest !== undefined} />
      </p>
    </PostForm>
  );
  if (isFirst) return form;
  return (
    <details open={refused !== undefined}>
      <summary>Change review</summary>
      {form}
    </details>
  );
}

const verdictButtons = {
  approved: { label: "Approve", className: "primary", letter: "A" },
  rejected: { label: "Reject", className: "danger", letter: "R" },
};

/** For the team with the key that chooses a verdict, and once it is chosen the one that sends it. */
function VerdictButton({ decision, isGuest }: { decision: keyof typeof verdictButtons; isGuest: boolean }) {
  const { label, className, letter } = verdictButtons[decision];
  return (
    <button
      class={className}
      name="decision"
      value={decision}
      type="submit"
      aria-keyshortcuts={isGuest ? undefined : letter}
      formNoValidate={!isGuest && decision === "rejected"}
      data-command={!isGuest && decision === "approved" ? "Approve this asset" : undefined}
    >
      {label}
      {!isGuest && (
        <>
          {" "}
          <kbd class="choose">{letter}</kbd>
          <kbd class="send">Enter</kbd>
        </>
      )}
    </button>
  );
}

function PublishForm({ asset, view }: { asset: AssetDetail; view: View }) {
  if (!hasScope(view, "assets:write")) return <MissingScope view={view} scope="assets:write" to="publish" />;
  if (!view.ctx.publicStore)
    return <p class="soft">Publishing is unavailable: no public store is configured.</p>;
  return (
    <details class="confirm publish">
      <summary class="button primary">Publish…</summary>
      <PostForm view={view} action={`/assets/${asset.id}/publish`}>
        <p class="soft">
          Anyone can then open version {asset.version} without signing in, at a permanent URL below{" "}
          <code>{mediaUrl(view.ctx)}</code>. A reviewer can unpublish it; caches keep it for up to an hour.
        </p>
        <PromptWarning asset={asset} />
        <button type="submit" class="primary">
          Publish {asset.bundle_url ? "all of its files" : "this file"}
        </button>
      </PostForm>
    </details>
  );
}

interface PermanentUrlProps {
  address: string;
  asset: AssetDetail;
  view: View;
}

const PermanentUrl = ({ address, asset, view }: PermanentUrlProps) => (
  <div class="public-url">
    <p class="soft">Permanent URL</p>
    <p>
      <a href={address}>{address}</a>
    </p>
    <button type="button" data-copy={address} hidden>
      Copy
    </button>
    {!view.guest && hasScope(view, "assets:review") && (
      <a class="button" href={removalPath(asset.id)}>
        Unpublish…
      </a>
    )}
  </div>
);

export async function submitPublish(view: View): Promise<string> {
  const id = view.params.id ?? "";
  await callOperation<Asset>(view, publishAsset, { id });
  return `/assets/${id}`;
}
