/** The verdicts on a version, and the approvals that it waits for. */

import { withoutCoordinates } from "../../library/annotations/text.ts";
import type { AssetDetail } from "../../library/assets/schema.ts";
import type { Repeats } from "../../library/repeats/schema.ts";
import { unchangedText } from "../../library/repeats/text.ts";
import type { ReviewState } from "../../library/verdicts/review-state.ts";
import type { Approvals as ApprovalsOf, Verdict } from "../../library/verdicts/schema.ts";
import { waitingText } from "../../library/verdicts/text.ts";
import { Actor } from "../actor.tsx";
import { deskUrl, Status } from "../assets/asset.tsx";
import { decisionUrl } from "../memory/decision-list.tsx";
import { Time } from "../time.tsx";
import type { View } from "../view.ts";
import { type Answers, type Result, resultNames } from "./checklist-fields.tsx";

/** Shown with a policy, and for verdicts that say more than the review of the asset. */
export function Approvals({ asset, view, state }: { asset: AssetDetail; view: View; state: ReviewState }) {
  const { approvals, verdicts, approved_as, repeats, limits = [] } = asset;
  const isListed = approvals !== null || verdicts.length > 1 || verdicts.some(({ checklist }) => checklist);
  return (
    <>
      {repeats && (
        <p class="notice">
          Repeated: <RepeatNote repeats={repeats} />
        </p>
      )}
      {limits.map(({ decision, text, limit, found }) => (
        <p key={`${decision} ${limit}`} class="notice">
          Breaks <a href={decisionUrl({ id: decision })}>decision {decision}</a>: “<bdi>{text}</bdi>” ({limit}
          ; this file: <bdi>{found}</bdi>)
        </p>
      ))}
      {approved_as && (
        <p class="soft">
          The same file was approved as{" "}
          <a href={deskUrl(approved_as, view.url)}>version {approved_as.version}</a>. It needs a review of its
          own.
        </p>
      )}
      {approvals && <Progress approvals={approvals} />}
      {isListed && verdicts.length > 0 && (
        <ul class="verdicts">
          {verdicts.map((verdict) => (
            <li key={verdict.reviewer}>
              <Given verdict={verdict} />
            </li>
          ))}
        </ul>
      )}
      {approvals && approvals.missing.length > 0 && <YourPart approvals={approvals} state={state} />}
    </>
  );
}

const Progress = ({ approvals }: { approvals: ApprovalsOf }) => (
  <p class="approvals">
    <strong>
      {approvals.have} of {approvals.need} approvals
    </strong>
    {approvals.missing.length > 0 && <>, {waitingText(approvals)}</>}
  </p>
);

const Given = ({ verdict: { decision, reviewer, role, at, note, checklist } }: { verdict: Verdict }) => (
  <>
    <p>
      <Status status={decision} /> by <Actor of={reviewer} />
      {role && ` (${role})`}, <Time ts={at} />
    </p>
    {note && <p class="note">{withoutCoordinates(note)}</p>}
    {checklist && (
      <details>
        <summary>
          Checklist, version {checklist.version}: {resultsOf(checklist)}
        </summary>
        <ul class="answers">
          {checklist.answers.map((answer) => (
            <li key={answer.id}>
              <span class={`result ${answer.result}`}>{resultNames[answer.result]}</span>{" "}
              <bdi>{answer.text}</bdi>
              {answer.note && (
                <>
                  : <bdi>{answer.note}</bdi>
                </>
              )}
            </li>
          ))}
        </ul>
      </details>
    )}
  </>
);

/** `3 pass, 1 fail` */
function resultsOf({ answers }: Answers): string {
  const counts = (Object.keys(resultNames) as Result[]).flatMap((result) => {
    const count = answers.filter((answer) => answer.result === result).length;
    return count > 0 ? [`${count} ${resultNames[result].toLowerCase()}`] : [];
  });
  return counts.join(", ") || "no answers";
}

/** What the visitor can do about it. */
function YourPart({ approvals, state }: { approvals: ApprovalsOf; state: ReviewState }) {
  const { own, isMaker, role } = state;
  const isMissing = approvals.missing.some((one) => one.role === role);
  const text =
    own?.decision === "approved"
      ? "You approved this version."
      : isMaker
        ? "You made this version, so you cannot approve it."
        : isMissing
          ? null
          : role === null
            ? "Your token has no review role, so your approval does not count."
            : `Your review counts for ${role}, which is not missing.`;
  return text && <p class="soft">{text}</p>;
}

/** That a file was rejected before, why, and why it was uploaded again. */
const RepeatNote = ({ repeats: { id, note, reason, likeness, places } }: { repeats: Repeats }) => (
  <>
    {likeness === "unchanged_places" ? (
      <>
        {unchangedText(places).toLowerCase()} of <a href={`/assets/${id}`}>the version before</a>
      </>
    ) : (
      <>
        {likeness === "identical" ? "the same file was" : "it looks like a file that was"}{" "}
        <a href={`/assets/${id}`}>rejected</a>
      </>
    )}
    {note !== null && (
      <>
        : “<bdi>{note}</bdi>”
      </>
    )}
    {reason !== null && (
      <>
        {" "}
        Uploaded again because: “<bdi>{reason}</bdi>”
      </>
    )}
  </>
);
