/** What a review form needs in addition to what it reviews: one version, or the variants of a set. */

import { actorOf } from "../../core/auth/actor.ts";
import type { Caller } from "../../core/auth/caller.ts";
import type { Asset } from "../assets/schema.ts";
import { currentChecklist } from "../checklists/checklists.ts";
import type { LibraryContext } from "../context.ts";
import type { ChecklistRow, VerdictRow } from "../rows.ts";
import { loadApprovals } from "./approvals.ts";
import type { Approvals } from "./schema.ts";
import { isMaker, principalOf, reviewRoleOf, voterOf } from "./verdict.ts";

/** The checklist of a version, and the caller's relation to it. */
export interface ReviewState {
  checklist: ChecklistRow | null;
  /** The caller's last verdict on this version. */
  own: VerdictRow | null;
  /** The caller made this version. */
  isMaker: boolean;
  /** The role that the caller's review counts for. */
  role: string | null;
  /** The id of the decision that the last rejection of this version became. */
  decision: number | null;
}

export async function loadReviewState(
  { data }: Pick<LibraryContext, "data">,
  { id, project, kind }: Asset,
  caller: Caller,
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

/** Those of these versions that the caller made and a policy counts: their maker cannot approve them. */
export async function loadOwnVersions(
  { data }: Pick<LibraryContext, "data">,
  ids: readonly string[],
  caller: Caller,
): Promise<ReadonlySet<string>> {
  if (ids.length === 0 || caller.name === null) return new Set();
  const maker = { principal: principalOf(caller), reviewer: actorOf(caller, undefined) };
  const own = (await data.assetDetails(ids)).filter((asset) => isMaker(asset, maker));
  return new Set((await loadApprovals(data, own)).keys());
}

export interface SetReviewState {
  /** Of the pending ones of `shown`, by their ids. */
  approvals: ReadonlyMap<string, Approvals>;
  /** That of the pending variants; null if they are of several kinds. */
  checklist: ChecklistRow | null;
}

/** @param of all variants of the set, and those that a page shows */
export async function loadSetReviewState(
  { data }: Pick<LibraryContext, "data">,
  project: string,
  of: { variants: readonly Asset[]; shown: readonly Asset[] },
): Promise<SetReviewState> {
  const pending = of.variants.filter(({ status }) => status === "pending");
  const [kind, another] = new Set(pending.map((variant) => variant.kind));
  const [approvals, checklist] = await Promise.all([
    loadApprovals(
      data,
      of.shown.map((variant) => ({ ...variant, project })),
    ),
    kind && !another ? currentChecklist(data, project, kind) : null,
  ]);
  return { approvals, checklist };
}
