/** Arithmetic of approvals: which of them a policy counts. */
import type { ReviewPolicyRow, VerdictRow } from "../rows.ts";
import type { Approvals, RoleCount } from "./schema.ts";

type Counted = Pick<VerdictRow, "principal" | "role" | "decision" | "sha256">;

/** What the approvals of one file are for a policy. Each principal counts once, with its first approval. */
export function approvalsOf(
  { need }: Pick<ReviewPolicyRow, "need">,
  verdicts: readonly Counted[],
  sha256: string,
): Approvals {
  const roleOf = new Map<string, string | null>();
  for (const { principal, role, decision, sha256: reviewed } of verdicts)
    if (decision === "approved" && reviewed === sha256 && !roleOf.has(principal)) roleOf.set(principal, role);
  const given = [...roleOf.values()];
  const missing = need
    .map(({ role, count }) => ({ role, count: count - given.filter((own) => own === role).length }))
    .filter(({ count }) => count > 0);
  const total = sum(need);
  return { have: total - sum(missing), need: total, missing };
}

const sum = (roles: readonly RoleCount[]): number => roles.reduce((total, { count }) => total + count, 0);
