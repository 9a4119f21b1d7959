/** What the review panel needs in addition to the asset: the checklist, and the visitor's relation to this version. */

import { actorOf } from "../../core/auth/actor.ts";
import type { AssetDetail } from "../../library/assets/schema.ts";
import { currentChecklist } from "../../library/checklists/checklists.ts";
import type { ChecklistRow, VerdictRow } from "../../library/rows.ts";
import { isMaker, principalOf, reviewRoleOf, voterOf } from "../../library/verdicts/voter.ts";
import type { View } from "../view.ts";

export interface ReviewState {
  checklist: ChecklistRow | null;
  /** The visitor's last verdict on this version. */
  own: VerdictRow | null;
  /** The visitor made this version. */
  isMaker: boolean;
  /** The role that the visitor's review counts for. */
  role: string | null;
  /** The id of the decision that the last rejection of this version became. */
  decision: number | null;
}

export async function loadReviewState(
  { ctx: { data }, visitor: { caller } }: View,
  { id, project, kind }: AssetDetail,
): Promise<ReviewState> {
  const [checklist, verdicts, row, [reviewed]] = await Promise.all([
    currentChecklist(data, project ?? "", kind),
    caller.name === null ? [] : data.verdicts([id]),
    caller.name === null ? null : data.asset(caller.projects, id),
    data.reviewStates(caller.projects, [id]),
  ]);
  const voter = voterOf(caller);
  const maker = { principal: principalOf(caller), reviewer: actorOf(caller, undefined) };
  return {
    checklist,
    own: verdicts.find((verdict) => verdict.voter === voter) ?? null,
    isMaker: row !== null && isMaker(row, maker),
    role: reviewRoleOf(caller),
    decision: reviewed?.decision_id ?? null,
  };
}
