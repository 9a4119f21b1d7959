/** One verdict: who gives it, on which file, and whether the policy admits it. */
import type { Caller } from "../../core/auth/caller.ts";
import { fromMicros, type Micros } from "../../core/lib/time.ts";
import { conflict } from "../../core/problem.ts";
import type { Answers } from "../checklists/schema.ts";
import type { AssetRow, VerdictRow } from "../rows.ts";
import type { Verdict } from "./schema.ts";
import { isMaker, principalOf, reviewRoleOf, voterOf } from "./voter.ts";

export interface Review extends Pick<VerdictRow, "reviewer" | "decision" | "note"> {
  checklist: Answers | null;
  at: Micros;
}

export const verdictOf = (
  { id, project, sha256 }: Pick<AssetRow, "id" | "project" | "sha256">,
  review: Review,
  caller: Caller,
): VerdictRow => ({
  asset: id,
  project,
  sha256,
  ...review,
  voter: voterOf(caller),
  principal: principalOf(caller),
  role: reviewRoleOf(caller),
});

/**
 * Under a policy, an author cannot approve their own version, and an approval does not overrule a rejection.
 * @param others the verdicts of other voters on the same version
 * @throws {Problem} 409
 */
export function requireAdmitted(asset: AssetRow, verdict: VerdictRow, others: readonly VerdictRow[]): void {
  if (verdict.decision === "rejected") return;
  if (isMaker(asset, verdict))
    throw conflict(
      `You made this version, so you cannot approve it: ${asset.project} has a review policy for the kind ` +
        `${asset.kind}. Ask someone else to review it.`,
    );
  const rejection = others.find((other) => other.decision === "rejected");
  if (rejection)
    throw conflict(
      `${rejection.reviewer} rejected this version, and one rejection is enough. Upload a new version, or ` +
        `ask ${rejection.reviewer} to change the review.`,
    );
}

export const toVerdict = ({
  asset,
  voter: _,
  principal: __,
  project: ___,
  at,
  ...verdict
}: VerdictRow): Verdict => ({ asset_id: asset, ...verdict, at: fromMicros(at) });
