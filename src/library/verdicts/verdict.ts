/** One verdict: who gives it, on which file, and whether the policy admits it. */

import { adminCaller, type Caller } from "../../core/auth/caller.ts";
import { roleOf } from "../../core/auth/scopes.ts";
import { fromMicros, type Micros } from "../../core/lib/time.ts";
import { conflict } from "../../core/problem.ts";
import type { Answers } from "../checklists/schema.ts";
import type { AssetRow, VerdictRow } from "../rows.ts";
import type { Verdict } from "./schema.ts";

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

/** Who a review counts for, and for which role. A reviewer can give any name as `by`; a voter cannot. */
const nameOf = (actor: string): string => actor.replace(/^[a-z]+:/, "");

/**
 * The name that a caller votes under: that of its token, or of the person who signed in with a link or works
 * on the command line of the server. Both have one vote, over the API and on the website. A share link votes
 * under its own name, whatever its visitor types.
 */
export function voterOf({ name, actor }: Pick<Caller, "name" | "actor">): string {
  const own = name === adminCaller.name ? (actor ?? name) : name;
  return (own ?? "").replace(/^human:/, "");
}

/** The reviewer that an approval counts for: the creator of the share link, or else the voter. */
export const principalOf = (caller: Pick<Caller, "name" | "actor" | "vouchedBy">): string =>
  caller.vouchedBy ?? voterOf(caller);

/** The role that the reviews of a caller count for; null for none. */
export const reviewRoleOf = (caller: Pick<Caller, "reviewRole" | "role" | "scopes">): string | null =>
  caller.reviewRole ?? caller.role ?? roleOf(caller.scopes);

/** Whether a version was made by this principal or reviewer, under its own name or with its token. */
export function isMaker(
  { created_by, uploader }: Pick<AssetRow, "created_by" | "uploader">,
  { principal, reviewer }: { principal: string; reviewer: string },
): boolean {
  const maker = nameOf(created_by);
  return uploader === principal || maker === principal || maker === nameOf(reviewer);
}
