/** Decisions as a list, on the memory page and on the page of a project. */

import { ellipsize } from "../../core/lib/strings/truncate.ts";
import type { DecisionRecord } from "../../memory/list-schemas.ts";
import type { CurrentDecision, Decision } from "../../memory/schema.ts";
import { rejectedPath, reviewSource, setOfRef } from "../../memory/set-ref.ts";
import { Actor } from "../actor.tsx";
import { countText } from "../format.ts";
import { Icon } from "../icons/icons.tsx";
import { Time } from "../time.tsx";
import { stopsText } from "./stops-text.ts";

/** A decision, with as much of its history as the list that it comes from has. */
type Listed = Decision & Partial<Omit<DecisionRecord, keyof Decision> & Pick<CurrentDecision, "superseded">>;

interface DecisionListProps {
  decisions: readonly Listed[];
  /** Whether the list has decisions of several projects. */
  hasProjects?: boolean;
  /** How many briefs carried each, by its id. */
  uses?: ReadonlyMap<number, number>;
}

export const decisionUrl = ({ id }: Pick<Decision, "id">): string => `/memory/decisions/${id}`;

export const DecisionList = ({ decisions, hasProjects = false, uses }: DecisionListProps) => (
  <ol class="decisions">
    {decisions.map((decision) => (
      <li key={decision.id} class={decision.source === reviewSource ? "from-review" : undefined}>
        <p class="decision">{decision.text}</p>
        <p class="soft">
          <Icon name={decision.source === reviewSource ? "person" : "flag"} />{" "}
          <a href={decisionUrl(decision)}>Decision {decision.id}</a>
          {decision.standing === "proposed" && !decision.valid_until && (
            <>
              {" · "}
              <span class="status info">proposed</span>
            </>
          )}
          {hasProjects && (
            <>
              {" · "}
              <a href={`/projects/${decision.project}`}>{decision.project}</a>
            </>
          )}
          {" · "}
          {decision.actor && (
            <>
              <Actor of={decision.actor} />,{" "}
            </>
          )}
          {decision.source} · <Time ts={decision.valid_from} />
          <Origin decision={decision} />
          {uses && ` · ${usesText(uses.get(decision.id) ?? 0)}`}
          {decision.stops ? ` · ${stopsText(decision.stops)}` : ""}
          {decision.valid_until && (
            <>
              {" · "}applied until <Time ts={decision.valid_until} as="exact" />
            </>
          )}
        </p>
        {decision.superseded && <Replaced decision={decision.superseded} />}
      </li>
    ))}
  </ol>
);

const usesText = (uses: number): string =>
  uses === 0 ? "in no brief yet" : `in ${countText(uses)} ${uses === 1 ? "brief" : "briefs"}`;

const headlineMax = 90;

/** The first words of a decision, as its title: its first line if it is short, or else its first sentence. */
export function headline(text: string): string {
  const [line = ""] = text.trim().split("\n");
  const [sentence = ""] = /^.*?[.!?](?=\s)/.exec(line) ?? [line];
  const isLong = line.length > headlineMax && sentence.length <= headlineMax;
  return ellipsize(isLong ? sentence : line, headlineMax);
}

const Replaced = ({ decision }: { decision: Decision }) => (
  <details>
    <summary>
      Replaced an earlier decision from <Time ts={decision.valid_from} />
    </summary>
    <p class="decision soft">
      <del>{decision.text}</del>
    </p>
  </details>
);

interface OriginProps {
  decision: Pick<Decision, "source" | "source_ref"> & { project: string | null };
  /** What to call the asset of a review. */
  asset?: string;
}

/** Where a decision came from: a reviewed asset or variant set, a URL, or words. */
export function Origin({ decision: { project, source, source_ref }, asset = "rejected asset" }: OriginProps) {
  if (!source_ref) return null;
  const isAsset = source === reviewSource;
  const href = isAsset
    ? rejectedPath(project, source_ref)
    : source_ref.startsWith("https://")
      ? source_ref
      : null;
  const name = isAsset ? (setOfRef(source_ref) === null ? asset : "variant set") : source_ref;
  return <> · {href ? <a href={href}>{name}</a> : name}</>;
}
