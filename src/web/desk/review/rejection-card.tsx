/** @jsxImportSource preact */
/**
 * What a rejection changed: the decision that its note became, the brief that carries it, who has read it,
 * and the version that came after. Shown at the desk, and by its script once a rejection is saved.
 */

import { renderToString } from "preact-render-to-string";
import type { AssetDetail } from "../../../library/assets/schema.ts";
import { getAsset } from "../../../library/operations/assets.ts";
import { loadReviewState } from "../../../library/verdicts/review-state.ts";
import type { DecisionDetail } from "../../../overview/memory/decision-schema.ts";
import { getDecision, getDecisionUses } from "../../../overview/operations/memory.ts";
import type { DecisionUses } from "../../../overview/runs/decision-uses.ts";
import { deskUrl } from "../../assets/asset.tsx";
import { Icon } from "../../icons/icons.tsx";
import { hasScope } from "../../layout.tsx";
import { briefUrl } from "../../memory/brief.tsx";
import { decisionUrl } from "../../memory/decision-list.tsx";
import { runUrl, taskName } from "../../runs/links.tsx";
import { callOperation, type View } from "../../view.ts";

export interface Rejection {
  decision: DecisionDetail;
  uses: DecisionUses;
}

/** Runs that the card names; the page of the decision has all. */
const usesMax = 3;

/** Null if the asset was not rejected, or the visitor may not read memory. @param id of the decision */
export async function loadRejection(view: View, id: number | null): Promise<Rejection | null> {
  if (id === null || !hasScope(view, "memory:read")) return null;
  const [decision, uses] = await Promise.all([
    callOperation<DecisionDetail>(view, getDecision, { id }),
    callOperation<DecisionUses>(view, getDecisionUses, { id, limit: usesMax }),
  ]);
  return { decision, uses };
}

export function RejectionCard({
  asset,
  rejection,
  view,
}: {
  asset: AssetDetail;
  rejection: Rejection;
  view: View;
}) {
  const { decision, uses } = rejection;
  const next = asset.versions.find(({ version }) => version === asset.version + 1);
  const task = taskName(asset);
  return (
    <div class="rejection-card">
      <p>
        <Icon name="flag" /> This is <a href={decisionUrl(decision)}>decision {decision.id}</a>. The{" "}
        <a href={briefUrl(asset.project ?? "", asset.issue)}>next brief{task && ` for ${task}`}</a>{" "}
        {decision.valid_until === null ? "carries it:" : "leaves it out: it has ended."}
      </p>
      <blockquote>
        <bdi>{decision.text}</bdi>
      </blockquote>
      <ul class="consequences">
        <li>
          <Icon name="book" />{" "}
          {uses.briefs.length === 0 ? (
            <span class="soft">No run has read it yet.</span>
          ) : (
            <>
              Read by{" "}
              {uses.briefs.map(({ run, run_id }, index) => (
                <span key={run_id}>
                  {index > 0 && ", "}
                  <a href={runUrl({ id: run_id, project: asset.project ?? "" })}>
                    <bdi>{run?.title ?? run_id}</bdi>
                  </a>
                </span>
              ))}
              {uses.next_cursor && " and others"}
            </>
          )}
        </li>
        <li>
          <Icon name="forward" />{" "}
          {next ? (
            <a href={deskUrl(next, view.url)}>Version {next.version} came after it</a>
          ) : (
            <span class="soft">No next version yet.</span>
          )}
        </li>
      </ul>
      {decision.valid_until === null && hasScope(view, "memory:write") && (
        <p>
          <a href={decisionUrl(decision)}>Change its words</a>
        </p>
      )}
    </div>
  );
}

/** The card alone, for the script of the desk; empty if the asset was not rejected. */
export async function rejectionFragment(view: View): Promise<string> {
  const asset = await callOperation<AssetDetail>(view, getAsset, { id: view.params.id ?? "" });
  const { decision } = await loadReviewState(view.ctx, asset, view.visitor.caller);
  const rejection = asset.status === "rejected" ? await loadRejection(view, decision) : null;
  return rejection ? renderToString(<RejectionCard asset={asset} rejection={rejection} view={view} />) : "";
}
