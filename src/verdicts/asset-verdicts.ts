/** The verdicts on a version, as its detail shows them. */
import type { AssetDetail } from "../assets/schema.ts";
import type { Reads } from "../data.ts";
import type { AssetRow } from "../rows.ts";
import { approvalsOf } from "./approvals.ts";
import { toVerdict } from "./verdict.ts";

/** The verdicts and, while a policy counts them or once it holds, the approvals. */
export async function loadVerdicts(
  data: Pick<Reads, "verdicts" | "reviewPolicy">,
  { id, project, kind, status, sha256 }: AssetRow,
): Promise<Pick<AssetDetail, "approvals" | "verdicts">> {
  const canCount = status === "pending" || status === "approved";
  const [verdicts, policy] = await Promise.all([
    data.verdicts([id]),
    canCount ? data.reviewPolicy(project, kind) : null,
  ]);
  const approvals = policy && approvalsOf(policy, verdicts, sha256);
  const isShown = status === "pending" || approvals?.missing.length === 0;
  return { approvals: isShown ? approvals : null, verdicts: verdicts.map(toVerdict) };
}

/** The last approved version before a pending one that has the same file; null if there is none. */
export async function findApprovedTwin(
  data: Pick<Reads, "verdicts">,
  { status, version, sha256 }: AssetRow,
  chain: readonly AssetRow[],
): Promise<AssetDetail["approved_as"]> {
  if (status !== "pending") return null;
  const twins = chain.filter((other) => other.sha256 === sha256 && other.version < version);
  const reviewed = twins.filter(({ reviewed_at }) => reviewed_at !== null);
  if (reviewed.length === 0) return null;
  const verdicts = await data.verdicts(reviewed.map(({ id }) => id));
  const twin = reviewed.findLast(({ id }) => {
    const own = verdicts.filter(({ asset }) => asset === id);
    return own.length > 0 && own.every(({ decision }) => decision === "approved");
  });
  return twin ? { id: twin.id, version: twin.version } : null;
}
