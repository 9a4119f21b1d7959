/**
 * What a rejection changed: the decision that its note became, with words to edit, who has read it, and the
 * version that came after. Shown at the desk, by its script once a rejection is saved, and on Today when
 * something came of it.
 */

import { renderToString } from "preact-render-to-string";
import type { Asset, AssetDetail } from "../../../library/assets/schema.ts";
import { getAsset } from "../../../library/operations/assets.ts";
import { loadReviewState } from "../../../library/verdicts/review-state.ts";
import type { DecisionDetail } from "../../../overview/memory/decision-schema.ts";
import { getDecision } from "../../../overview/operations/memory.ts";
import { loadReaders, type RejectionReader } from "../../../overview/runs/rejection-readers.ts";
import { deskUrl } from "../../assets/asset.tsx";
import { Icon } from "../../icons/icons.tsx";
import { hasScope } from "../../layout.tsx";
import { briefUrl } from "../../memory/brief.tsx";
import { Checks } from "../../memory/checks.tsx";
import { canReword, RewordForm } from "../../memory/decision-forms.tsx";
import { decisionUrl } from "../../memory/decision-list.tsx";
import { FilesForm } from "../../memory/files.tsx";
import { Opposites } from "../../memory/opposites.tsx";
import { runUrl, taskName } from "../../runs/links.tsx";
import { callOperation, readFor, type View } from "../../view.ts";

export interface Rejection {
  decision: DecisionDetail;
  /** The runs that were given it, the newest first. */
  readers: RejectionReader[];
}

/** Runs that the card names; the page of the decision has all. */
const readersMax = 3;

/** Null if the asset was not rejected, or the visitor may not read memory. @param id of the decision */
export async function loadRejection(view: View, asset: Asset, id: number | null): Promise<Rejection | null> {
  if (id === null || !hasScope(view, "memory:read")) return null;
  const [decision, readers] = await Promise.all([
    callOperation<DecisionDetail>(view, getDecision, { id }),
    readFor(view, loadReaders(view.ctx, asset, readersMax + 1)),
  ]);
  return { decision, readers };
}

interface CardProps {
  asset: Asset & Pick<AssetDetail, "versions">;
  rejection: Rejection;
  view: View;
}

export function RejectionCard({ asset, rejection: { decision, readers }, view }: CardProps) {
  const task = taskName(asset);
  const isCurrent = decision.valid_until === null;
  return (
    <div class="rejection-card" id="rejection">
      <p>
        <Icon name="flag" /> This is <a href={decisionUrl(decision)}>decision {decision.id}</a>. The{" "}
        <a href={briefUrl(asset.project ?? "", asset)}>next brief{task && ` for ${task}`}</a>{" "}
        {isCurrent ? "begins with:" : "leaves it out: it has ended."}
      </p>
      {isCurrent && canReword(view, decision) ? (
        <RewordForm view={view} decision={decision} isAtAsset />
      ) : (
        <blockquote>
          <bdi>{decision.text}</bdi>
        </blockquote>
      )}
      {isCurrent && <Opposites view={view} decision={decision} />}
      <Checks view={view} decision={decision} isAtAsset />
      {isCurrent && hasScope(view, "assets:review") && (
        <details>
          <summary>Files it speaks of</summary>
          <FilesForm view={view} decision={decision} at="asset" />
        </details>
      )}
      <ul class="consequences">
        <li>
          <Icon name="book" /> <Readers asset={asset} decision={decision} readers={readers} />
        </li>
        <li>
          <Icon name="forward" /> <NextVersion asset={asset} view={view} />
        </li>
      </ul>
    </div>
  );
}

/** Who has read it, and in which words. */
function Readers({ asset, decision, readers }: Pick<CardProps, "asset"> & Rejection) {
  if (readers.length === 0) return <span class="soft">No run has read it yet.</span>;
  const isEarlier = readers.some((reader) => reader.decision !== decision.id);
  return (
    <span>
      Read by{" "}
      {readers.slice(0, readersMax).map(({ run, run_id, ...reader }, index) => (
        <span key={run_id}>
          {index > 0 && ", "}
          <a href={runUrl({ id: run_id, project: asset.project ?? "" })}>
            <bdi>{run?.title ?? run_id}</bdi>
          </a>
          {reader.decision !== decision.id && " (earlier words)"}
        </span>
      ))}
      {readers.length > readersMax && " and others"}
      {isEarlier && ". A run gets these words with its next brief."}
    </span>
  );
}

function NextVersion({ asset, view }: Pick<CardProps, "asset" | "view">) {
  const next = asset.versions.find(({ version }) => version === asset.version + 1);
  if (!next) return <span class="soft">No next version yet.</span>;
  return <a href={deskUrl(next, view.url)}>Version {next.version} came after it</a>;
}

/** The card alone, for the script of the desk; empty if the asset was not rejected. */
export async function rejectionFragment(view: View): Promise<string> {
  const asset = await callOperation<AssetDetail>(view, getAsset, { id: view.params.id ?? "" });
  const { decision } = await loadReviewState(view.ctx, asset, view.visitor.caller);
  const rejection = asset.status === "rejected" ? await loadRejection(view, asset, decision) : null;
  return rejection ? renderToString(<RejectionCard asset={asset} rejection={rejection} view={view} />) : "";
}
