/** @jsxImportSource preact */
/** The places that a review asked to change in a version, each with what became of it. */
import type { Annotation } from "../../library/annotations/schema.ts";
import { placeText } from "../../library/annotations/text.ts";
import type { Attempt } from "../../overview/tasks/attempts.ts";
import { PinNumber, WeightLabel } from "../annotations/annotation-item.tsx";
import { Icon, type IconName, type Tone } from "../icons/icons.tsx";
import { type Outcome, outcomeOf } from "./requested-changes.ts";

const styles: Record<Outcome, [IconName, Tone]> = {
  honoured: ["check", "good"],
  addressed: ["clock", "info"],
  reopened: ["cross", "bad"],
  ignored: ["cross", "bad"],
  open: ["clock", "warn"],
};

/** More are on the page of the version. */
const shownMax = 10;

export function ChangeList({ attempt, annotations }: { attempt: Attempt; annotations: Annotation[] }) {
  if (annotations.length === 0) return null;
  const hidden = annotations.length - shownMax;
  return (
    <ol class="requested-changes" aria-label={`Asked of version ${attempt.asset.version}`}>
      {annotations.slice(0, shownMax).map((annotation) => (
        <li key={annotation.id} class={annotation.weight}>
          <PinNumber annotation={annotation} /> <WeightLabel annotation={annotation} />{" "}
          <span class="soft">{placeText(annotation.target)}</span>{" "}
          <OutcomeLabel outcome={outcomeOf(annotation, attempt)} />
          <p>
            <bdi>{annotation.body}</bdi>
          </p>
        </li>
      ))}
      {hidden > 0 && (
        <li>
          <a href={`/assets/${attempt.asset.id}#annotations`}>{hidden} more</a>
        </li>
      )}
    </ol>
  );
}

function OutcomeLabel({ outcome }: { outcome: Outcome }) {
  const [icon, tone] = styles[outcome];
  return (
    <span class={`status ${tone}`}>
      <Icon name={icon} /> {outcome}
    </span>
  );
}
