/** The page of a decision: its text, where it came from, its history, and the forms that change it. */
import type { ComponentChildren } from "preact";
import { isAdmin } from "../../core/auth/permissions.ts";
import { isRedactionNotice } from "../../library/removals/notice.ts";
import type { DecisionRecord } from "../../memory/list-schemas.ts";
import { reviewSource, setOfRef, setPath } from "../../memory/set-ref.ts";
import type { DecisionDetail } from "../../overview/memory/decision-schema.ts";
import { getDecision } from "../../overview/operations/memory.ts";
import { Actor } from "../actor.tsx";
import { hasScope } from "../layout.tsx";
import { Notice } from "../notice.tsx";
import { takeBackUrl } from "../removals/take-back-page.tsx";
import { runUrl, taskName, taskUrl } from "../runs/links.tsx";
import { Time } from "../time.tsx";
import { callOperation, type Page, type View } from "../view.ts";
import { Checks } from "./checks.tsx";
import { ChangeForms, Refusal, type RefusedDecision } from "./decision-forms.tsx";
import { decisionUrl, headline } from "./decision-list.tsx";
import { loadUses, Uses } from "./decision-uses.tsx";
import { GoneFiles } from "./files.tsx";
import { Opposites } from "./opposites.tsx";
import { Proposal } from "./proposal.tsx";

/** What a form did, by the value of `done` in the URL that it leads to. */
export const outcomes = {
  recorded: "Recorded. Agents get it in their next brief.",
  known: "This decision was already recorded. Nothing changed.",
  reworded: "Saved. The next brief carries these words.",
  files: "Saved. Briefs say whether these files hold.",
  checked: "Saved. Hooks of agents and svc check apply it.",
  confirmed: "Confirmed. Briefs carry it among the decisions of people.",
  ended: "Confirmed. Its checks no longer apply.",
  restored: "Restored as a new decision. Briefs carry it, and its checks apply.",
  dropped: "Dropped. Briefs and recall no longer use it.",
  retired: "Retired. Briefs and recall no longer use it.",
} as const;
export type Outcome = keyof typeof outcomes;
const isOutcome = (name: string | null): name is Outcome => name !== null && Object.hasOwn(outcomes, name);

/** @param refused a change sent from this page that was not saved */
export async function decisionPage(view: View, refused?: RefusedDecision): Promise<Page> {
  const id = view.params.id ?? "";
  const decision = await callOperation<DecisionDetail>(view, getDecision, {
    id: /^\d+$/.test(id) ? Number(id) : id,
  });
  const uses = await loadUses(view, decision.id);
  const title = headline(decision.text);
  const done = view.url.searchParams.get("done");
  const body = (
    <div class="memory">
      {isOutcome(done) && <Notice text={outcomes[done]} isGood />}
      <div class="head">
        <p class="crumbs">
          <a href="/memory">Memory</a> /{" "}
          <a href={`/memory?project=${decision.project}`}>{decision.project}</a>
        </p>
        <h1>
          <bdi>{title}</bdi>
        </h1>
        <span class="soft">decision {decision.id}</span>
        <DecisionStatus decision={decision} />
      </div>
      <div class="columns">
        <div>
          <Refusal refused={refused} />
          {decision.valid_until !== null && refused?.text && <p class="note">{refused.text}</p>}
          {decision.text !== title && <p class="decision lede">{decision.text}</p>}
          {decision.valid_until === null && <Opposites view={view} decision={decision} />}
          {(decision.valid_until === null ? decision.standing === "proposed" : mayRestore(decision)) && (
            <Proposal view={view} decision={decision} />
          )}
          {decision.valid_until === null && <GoneFiles view={view} decision={decision} />}
          <Checks view={view} decision={decision} />
          <History decision={decision} />
          <Uses uses={uses} view={view} />
          {decision.valid_until === null && (
            <section>
              <h2>Change</h2>
              <ChangeForms view={view} decision={decision} refused={refused} />
            </section>
          )}
        </div>
        <aside aria-label="About this decision">
          <Facts decision={decision} view={view} />
          {isAdmin(view.visitor.caller) && !isRedactionNotice(decision.text) && (
            <p>
              <a href={takeBackUrl("decision", decision.id)}>Redact…</a>
            </p>
          )}
        </aside>
      </div>
    </div>
  );
  return { title, navEntry: "memory", body };
}

/** Of one that a proposal replaced, people confirm or drop the proposal. */
const mayRestore = ({ are_checks_held, superseded_by }: DecisionDetail): boolean =>
  are_checks_held && superseded_by?.standing !== "proposed";

const DecisionStatus = ({
  decision: { valid_until, superseded_by, standing },
}: {
  decision: DecisionDetail;
}) =>
  valid_until === null ? (
    <span class={standing === "proposed" ? "status info" : "status good"}>
      {standing === "proposed" ? "proposed" : "current"}
    </span>
  ) : (
    <span class="status quiet">{superseded_by ? "superseded" : "retired"}</span>
  );

function Facts({ decision, view }: { decision: DecisionDetail; view: View }) {
  const { actor, source, source_ref, valid_from, valid_until } = decision;
  const isReview = source === reviewSource;
  return (
    <section>
      <h2>Details</h2>
      <dl class="about">
        <Fact name={isReview ? "Rejected by" : "Decided by"}>
          <Actor of={actor} />
        </Fact>
        <Fact name="From">
          <Time ts={valid_from} />
        </Fact>
        {valid_until && (
          <Fact name="Until">
            <Time ts={valid_until} />
          </Fact>
        )}
        <Fact name="Source">{isReview ? "note of a rejection" : source}</Fact>
        {source_ref && !isReview && (
          <Fact name="Decided in">
            <Reference text={source_ref} />
          </Fact>
        )}
        {decision.anchors.length > 0 && (
          <Fact name="Refers to">
            {decision.anchors.map(({ path, symbol }, index) => (
              <>
                {index > 0 && ", "}
                <code>{symbol === null ? path : `${path}#${symbol}`}</code>
              </>
            ))}
          </Fact>
        )}
        {decision.run_id && (
          <Fact name="Run">
            <a href={runUrl({ id: decision.run_id, project: decision.project })}>{decision.run_id}</a>
          </Fact>
        )}
        {isReview && <RejectedAsset decision={decision} view={view} />}
      </dl>
    </section>
  );
}

const Fact = ({ name, children }: { name: string; children: ComponentChildren }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);

const Reference = ({ text }: { text: string }) =>
  text.startsWith("https://") ? (
    <a href={text} rel="noreferrer">
      {text}
    </a>
  ) : (
    text
  );

/** The version, or the set, whose rejection this is. A row may be gone, and the visitor may not see assets. */
function RejectedAsset({
  decision: { asset, project, source_ref },
  view,
}: {
  decision: DecisionDetail;
  view: View;
}) {
  const set = setOfRef(source_ref);
  if (set !== null)
    return (
      <Fact name="Variant set">
        {hasScope(view, "assets:read") ? <a href={setPath(project, set)}>{set}</a> : set}
      </Fact>
    );
  const name = asset ? `${asset.title}, version ${asset.version}` : source_ref;
  const task = asset && taskUrl({ ...asset, project });
  return (
    <>
      <Fact name="Asset">
        {asset && hasScope(view, "assets:read") ? <a href={`/assets/${asset.id}`}>{name}</a> : name}
      </Fact>
      {task && (
        <Fact name="Task">
          <a href={task}>{asset && taskName(asset)}</a>
        </Fact>
      )}
    </>
  );
}

function History({ decision }: { decision: DecisionDetail }) {
  const { superseded, superseded_by, valid_until } = decision;
  if (!superseded && valid_until === null) return null;
  return (
    <section>
      <h2>History</h2>
      <ol class="decisions">
        {superseded_by && <Neighbor title="Replaced by" decision={superseded_by} />}
        {valid_until !== null && !superseded_by && (
          <li>
            <p>
              Retired <Time ts={valid_until} />, without a replacement.
            </p>
          </li>
        )}
        {superseded && <Neighbor title="Replaced" decision={superseded} />}
      </ol>
    </section>
  );
}

const Neighbor = ({ title, decision }: { title: string; decision: DecisionRecord }) => (
  <li>
    <p class="soft">
      {title} <a href={decisionUrl(decision)}>decision {decision.id}</a> · <Actor of={decision.actor} />,{" "}
      <Time ts={decision.valid_from} />
    </p>
    <p class="decision">{decision.text}</p>
  </li>
);
