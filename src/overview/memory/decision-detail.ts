/** A decision with what came before and after it. */

import type { Caller } from "../../core/auth/caller.ts";
import { issueOnly } from "../../core/task-key.ts";
import type { AssetRow } from "../../library/rows.ts";
import { goneSince } from "../../memory/anchor-reports.ts";
import { anchorsOf } from "../../memory/anchors.ts";
import { heldMax } from "../../memory/checks/held.ts";
import { proposedFor } from "../../memory/checks/propose.ts";
import { contradictionsOf } from "../../memory/contradictions/describe.ts";
import { requireDecision, toRecord } from "../../memory/decision-history.ts";
import { reviewSource } from "../../memory/set-ref.ts";
import type { OverviewContext } from "../context.ts";
import type { DecisionDetail } from "./decision-schema.ts";

/** Decisions of a project whose files are gone. */
const goneMax = 500;

/** A decision with its neighbors in time. Throws a 404 problem if the caller may not see it. */
export async function getDecision(
  { data }: Pick<OverviewContext, "data">,
  id: number,
  caller: Pick<Caller, "projects">,
): Promise<DecisionDetail> {
  const row = await requireDecision(data, id, caller);
  const { supersedes, source, source_ref } = row;
  const [superseded, superseded_by, asset, opposites, anchors, gone, held] = await Promise.all([
    supersedes === null ? null : data.decision(caller.projects, supersedes),
    data.decisionReplacing(id),
    source === reviewSource && source_ref !== null ? data.asset(caller.projects, source_ref) : null,
    contradictionsOf(data, row),
    anchorsOf(data, row.project, [row.id]),
    row.valid_until === null ? data.goneDecisions([row.project], goneMax) : [],
    row.valid_until === null ? [] : data.heldDecisions([row.project], heldMax),
  ]);
  return {
    ...toRecord(row),
    proposed_checks: proposedFor(row),
    are_checks_held: held.some((one) => one.id === id),
    superseded: superseded && toRecord(superseded),
    superseded_by: superseded_by && toRecord(superseded_by),
    ...opposites,
    anchors,
    gone_at: gone.filter((one) => one.id === id).map(goneSince)[0] ?? null,
    asset: asset && assetOf(asset),
  };
}

const assetOf = ({ id, title, version, issue, task, pr }: AssetRow) => ({
  id,
  title,
  version,
  issue: issueOnly(issue),
  task,
  pr,
});
