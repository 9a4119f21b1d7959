/** The search of the memory page: what recall finds, and why it ranks where it does. */

import { type Hit, type HitKind, hitKinds, type Recalled } from "../../memory/recall/schema.ts";
import { recall } from "../../overview/operations/memory.ts";
import { Actor } from "../actor.tsx";
import { pluralize } from "../format.ts";
import { EmptyState } from "../layout.tsx";
import { Time } from "../time.tsx";
import { callOperation, filtersOf, type View } from "../view.ts";
import { decisionUrl, Origin } from "./decision-list.tsx";
import { endOfDay } from "./filters.ts";

/** The most that recall returns. */
const hitsMax = 50;

/** The kinds that each tab searches. Events have a search of their own. */
const kindsOf: Record<string, readonly HitKind[]> = {
  decisions: ["decision", "review"],
  preferences: ["preference"],
  guidance: ["guidance"],
};

/** @param tab the tab that is open; null: all kinds */
export async function searchSection(
  view: View,
  query: string,
  tab: string | null,
  project: string | undefined,
) {
  const { as_of } = filtersOf(view.url, ["as_of"]);
  const { hits } = await callOperation<Recalled>(view, recall, {
    query,
    project,
    limit: hitsMax,
    as_of: endOfDay(as_of),
    kinds: (tab && kindsOf[tab]) ?? hitKinds.filter((kind) => kind !== "event"),
  });
  return (
    <section>
      <h2>
        {titleOf(hits.length)} for “{query}”
      </h2>
      {hits.length === 0 ? (
        <EmptyState title="No matches.">
          <p>Try fewer or different words{project && ", or all projects"}.</p>
        </EmptyState>
      ) : (
        <>
          <Ranking project={project} asOf={as_of} />
          <ol class="decisions">
            {hits.map((hit) => (
              <HitItem key={`${hit.kind} ${hit.id}`} hit={hit} />
            ))}
          </ol>
        </>
      )}
    </section>
  );
}

const titleOf = (count: number): string =>
  count === hitsMax ? `The best ${hitsMax} matches` : pluralize(count, "match", "matches");

const Ranking = ({ project, asOf }: { project: string | undefined; asOf: string | undefined }) => (
  <details class="soft">
    <summary>How matches are ranked</summary>
    <p>
      By relevance: how much of your query a text has, where rare words count more, how often it has them for
      its length, and words of a heading twice. Of nearly equal matches the newer one is first. Agents get the
      same order from <code>svc_recall</code>.{" "}
      {project && `Only ${project} and what applies to all projects is searched. `}
      The project itself does not change the order.{" "}
      {asOf ? "Only what applied on that day is searched." : "Only what is current is searched."}
    </p>
  </details>
);

function HitItem({ hit }: { hit: Hit }) {
  const { kind, id, project, heading, text, actor, valid_from, valid_until } = hit;
  return (
    <li class={kind === "review" ? "from-review" : undefined}>
      {heading && <p class="hit-heading">{heading}</p>}
      <p class="decision">{text}</p>
      <p class="soft">
        {hit.decision ? <a href={decisionUrl(hit)}>Decision {id}</a> : kindNames[kind]} ·{" "}
        {project === null ? "all projects" : <a href={`/projects/${project}`}>{project}</a>} ·{" "}
        <Actor of={actor} /> · <Time ts={valid_from} />
        {kind !== "guidance" && (
          <Origin decision={hit} asset={hit.decision ? "rejected asset" : "approved asset"} />
        )}
        {valid_until && (
          <>
            {" · "}applied until <Time ts={valid_until} as="exact" />
          </>
        )}
      </p>
      <p class="why soft">
        Matched{" "}
        {hit.why.map((reason) => (
          <mark key={reason}>{reason}</mark>
        ))}{" "}
        · {Math.round(hit.coverage * 100)}% of the query · relevance {hit.score.toFixed(2)}
      </p>
    </li>
  );
}

const kindNames: Record<HitKind, string> = {
  decision: "Decision",
  review: "Review note",
  preference: "Preference",
  guidance: "Guidance",
  event: "Event",
};
