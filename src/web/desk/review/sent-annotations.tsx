/** Says which annotations a review takes along. */
import type { SentAnnotations } from "../../annotations/asset-annotations.ts";
import { pluralize } from "../../format.ts";

interface SentProps {
  sent: SentAnnotations;
  project: string;
}

/** How to reject: with annotations, whose count scripts read here, a note is optional. */
export function SentSummary({ sent: { drafts, open }, project }: SentProps) {
  const count = drafts + open;
  return (
    <span id="sent-annotations" data-count={count}>
      {count === 0 ? (
        <>To reject, add a note explaining what to change. It becomes a decision of {project} </>
      ) : (
        <>
          <strong>{sentenceOf(drafts, open)}</strong> To reject, a note is optional. All of it becomes a
          decision of {project}{" "}
        </>
      )}
    </span>
  );
}

/** `2 draft annotations will be sent with your review, 1 more is open.` */
function sentenceOf(drafts: number, open: number): string {
  const isOpen = `${open}${drafts > 0 ? " more" : ""} ${open === 1 ? "is" : "are"} open`;
  if (drafts === 0) return `${pluralize(open, "annotation")} ${open === 1 ? "is" : "are"} open.`;
  const areSent = `${pluralize(drafts, "draft annotation")} will be sent with your review`;
  return `${[areSent, ...(open > 0 ? [isOpen] : [])].join(", ")}.`;
}
