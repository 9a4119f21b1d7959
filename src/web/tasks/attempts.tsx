/** The versions of an asset side by side: what the review said of each, and what became of it. */

import type { Annotation } from "../../library/annotations/schema.ts";
import { placeLabel } from "../../library/annotations/text.ts";
import type { Attempt, AttemptChain } from "../../overview/tasks/attempts.ts";
import { Actor } from "../actor.tsx";
import { PinNumber, WeightLabel } from "../annotations/annotation-item.tsx";
import { Thumb } from "../assets/tiles.tsx";
import { pluralize } from "../format.ts";
import { Icon, type IconName, StatusLabel, type Tone } from "../icons/icons.tsx";
import { runUrl } from "../runs/links.tsx";
import { runFacts } from "../runs/status.tsx";
import { Time } from "../time.tsx";
import { type Outcome, outcomeOf, type RequestedChanges } from "./requested-changes.ts";
import { VerdictLabel, verdictTone } from "./verdict.tsx";

interface AttemptsProps {
  chain: AttemptChain;
  changes: RequestedChanges;
}

export const Attempts = ({ chain: { title, attempts }, changes }: AttemptsProps) => (
  <div class="chain">
    <h3>
      <bdi>{title}</bdi> <span class="soft">{pluralize(attempts.length, "version")}</span>
    </h3>
    <ol class="attempt-cards">
      {attempts.map((attempt) => (
        <AttemptCard
          key={attempt.asset.id}
          attempt={attempt}
          annotations={changes.get(attempt.asset.id) ?? []}
        />
      ))}
    </ol>
  </div>
);

function AttemptCard({ attempt, annotations }: { attempt: Attempt; annotations: Annotation[] }) {
  const { asset, verdict, run } = attempt;
  return (
    <li class={`attempt ${verdictTone(verdict)}-edge`} id={`version-${asset.id}`}>
      <a class="attempt-picture" href={`/assets/${asset.id}`}>
        <Thumb asset={asset} />
        <span class="visually-hidden">Open </span>
        <strong>Version {asset.version}</strong>
      </a>
      <p class="soft">
        <Time ts={asset.created_at} /> by <Actor of={asset.created_by} />
        {run && (
          <>
            {" · "}
            <a href={runUrl(run)}>run</a> {runFacts(run)}
          </>
        )}
      </p>
      <p>
        <VerdictLabel verdict={verdict} />
        {asset.reviewed_by && verdict !== "not reviewed" && (
          <span class="soft">
            {" "}
            by <Actor of={asset.reviewed_by} />
            {asset.reviewed_at && (
              <>
                , <Time ts={asset.reviewed_at} />
              </>
            )}
          </span>
        )}
      </p>
      {asset.review_note && (
        <blockquote>
          <bdi>{asset.review_note}</bdi>
        </blockquote>
      )}
      <ChangeList attempt={attempt} annotations={annotations} />
      {verdict === "rejected" && <Consequences attempt={attempt} />}
    </li>
  );
}

/** The way of a rejection: to a decision, into briefs, to the next version. */
function Consequences({ attempt: { decision, briefedRuns, next } }: { attempt: Attempt }) {
  return (
    <ul class="consequences">
      {decision && (
        <li>
          <Icon name="flag" /> Became <a href={`/memory/decisions/${decision.id}`}>decision {decision.id}</a>
          {decision.valid_until !== null && <span class="soft">, ended since</span>}
        </li>
      )}
      {decision && (
        <li>
          <Icon name="book" />{" "}
          {briefedRuns.length === 0 ? (
            <span class="soft">In no brief of a run of this task{next === null && " yet"}</span>
          ) : (
            <>
              In the brief of{" "}
              {briefedRuns.map((run, index) => (
                <span key={run.id}>
                  {index > 0 && ", "}
                  <a href={`${runUrl(run)}#run-memory`}>{run.id}</a>
                </span>
              ))}
            </>
          )}
        </li>
      )}
      <li>
        <Icon name="forward" />{" "}
        {next ? (
          <>
            Then came <a href={`#version-${next.id}`}>version {next.version}</a>
          </>
        ) : (
          <span class="soft">No next version yet</span>
        )}
      </li>
    </ul>
  );
}

/** The places that a review asked to change in a version, each with what became of it. */
const styles: Record<Outcome, [IconName, Tone]> = {
  honored: ["check", "good"],
  addressed: ["clock", "info"],
  reopened: ["cross", "bad"],
  ignored: ["cross", "bad"],
  open: ["clock", "warn"],
};

/** More are on the page of the version. */
const shownMax = 10;

function ChangeList({ attempt, annotations }: { attempt: Attempt; annotations: Annotation[] }) {
  if (annotations.length === 0) return null;
  const hidden = annotations.length - shownMax;
  return (
    <ol class="requested-changes" aria-label={`Asked of version ${attempt.asset.version}`}>
      {annotations.slice(0, shownMax).map((annotation) => (
        <li key={annotation.id} class={annotation.weight}>
          <PinNumber annotation={annotation} /> <WeightLabel annotation={annotation} />{" "}
          <span class="soft">{placeLabel(annotation.target)}</span>{" "}
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
  return <StatusLabel icon={icon} tone={tone} text={outcome} />;
}
