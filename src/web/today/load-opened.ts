/** Reads what the item beside the list is about. */

import type { Annotation } from "../../library/annotations/schema.ts";
import { loadAsset } from "../../library/assets/library.ts";
import type { Asset, AssetDetail } from "../../library/assets/schema.ts";
import { getAsset } from "../../library/operations/assets.ts";
import { loadReviewState, type ReviewState } from "../../library/verdicts/review-state.ts";
import type { InboxItem } from "../../overview/inbox/schema.ts";
import { endedPrefix } from "../../overview/inbox/sources/ended-decisions.ts";
import { goneFilesPrefix } from "../../overview/inbox/sources/gone-files.ts";
import { proposalPrefix } from "../../overview/inbox/sources/proposals.ts";
import type { DecisionDetail } from "../../overview/memory/decision-schema.ts";
import { getDecision } from "../../overview/operations/memory.ts";
import type { RunSession } from "../../overview/runs/session.ts";
import { loadRejection, type Rejection } from "../desk/review/rejection-card.tsx";
import { hasScope } from "../layout.tsx";
import { loadSessionAt } from "../runs/session.tsx";
import { callOperation, readFor, type View } from "../view.ts";
import { loadMarks } from "./note-crops.tsx";

export interface Opened {
  item: InboxItem;
  /** Whether the URL names it; the first item is open on wide screens alone. */
  isNamed: boolean;
  asset: AssetDetail | null;
  /** The version before it. */
  previous: (Asset & Pick<AssetDetail, "versions">) | null;
  state: ReviewState | null;
  /** What the note of its rejection, or of that of the version before, became. */
  rejection: Rejection | null;
  /** The marks of the rejected version. */
  marks: Annotation[];
  /** What an agent proposes, or whose files are gone. */
  decision: DecisionDetail | null;
  /** Of an agent that asks for an answer. */
  session: RunSession | null;
}

/** How the ids of items begin whose rest is the id of a decision. */
const decisionPrefixes: Partial<Record<string, string>> = {
  decision_proposed: proposalPrefix,
  decision_ended: endedPrefix,
  files_gone: goneFilesPrefix,
};

/** The item that the URL names or, if it has gone, the first. */
export async function loadOpened(view: View, items: readonly InboxItem[]): Promise<Opened | null> {
  const id = view.url.searchParams.get("item");
  const named = items.find((one) => one.id === id);
  const item = named ?? items[0];
  if (!item) return null;
  const isNamed = named !== undefined;
  const prefix = decisionPrefixes[item.reason];
  const decision = prefix
    ? await callOperation<DecisionDetail>(view, getDecision, { id: Number(item.id.slice(prefix.length)) })
    : null;
  const session = item.reason === "run_waiting" ? await loadSessionAt(view, new URL(item.url)) : null;
  const opened = { item, isNamed, decision, session };
  if (item.asset === null || !hasScope(view, "assets:read"))
    return { ...opened, asset: null, previous: null, state: null, rejection: null, marks: [] };
  const asset = await callOperation<AssetDetail>(view, getAsset, { id: item.asset });
  const [previous, state] = await Promise.all([
    loadPrevious(view, asset),
    readFor(view, loadReviewState(view.ctx, asset, view.visitor.caller)),
  ]);
  const rejected = asset.status === "rejected" ? asset : previous;
  const [rejection, marks] = await Promise.all([
    rejected && item.group === "answered" ? loadRejectionOf(view, rejected) : null,
    rejected?.review_note ? loadMarks(view, rejected) : [],
  ]);
  return { ...opened, asset, previous, state, rejection, marks };
}

async function loadPrevious(view: View, { parent_id, versions }: AssetDetail): Promise<Opened["previous"]> {
  if (parent_id === null) return null;
  return { ...(await readFor(view, loadAsset(view.ctx, parent_id, view.visitor.caller))), versions };
}

async function loadRejectionOf(view: View, rejected: Asset): Promise<Rejection | null> {
  const { decision } = await loadReviewState(view.ctx, rejected, view.visitor.caller);
  return loadRejection(view, rejected, decision);
}
