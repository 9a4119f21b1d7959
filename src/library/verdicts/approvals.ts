/** The verdicts and approvals of assets: which of them a policy counts, and what readers see. */
import type { Caller } from "../../core/auth/caller.ts";
import { isDecisionOf } from "../../memory/set-ref.ts";
import { type AssetDetail, assetKinds } from "../assets/schema.ts";
import type { LibraryContext } from "../context.ts";
import type { LibraryReads } from "../port.ts";
import type { AssetRow, ReviewPolicyRow, VerdictRow } from "../rows.ts";
import type { Approvals, Decision, RoleCount } from "./schema.ts";
import { toVerdict, voterOf } from "./verdict.ts";

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

/** The verdicts and, while a policy counts them or once it holds, the approvals. */
export async function loadVerdicts(
  data: LibraryReads,
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

/** The verdicts on versions that were reviewed and then replaced: a rejection became a decision. */
export async function verdictsOfReplaced(
  data: LibraryReads,
  project: string,
  versions: readonly Pick<AssetRow, "id" | "set" | "status" | "reviewed_at">[],
): Promise<ReadonlyMap<string, Decision>> {
  const reviews = versions.flatMap(({ id, set, status, reviewed_at }) =>
    status !== "superseded" || reviewed_at === null ? [] : [{ id, set, reviewed_at }],
  );
  if (reviews.length === 0) return new Map();
  const decisions = await data.rejectionDecisions(project, reviews);
  const isRejected = (review: (typeof reviews)[number]) =>
    decisions.some((decision) => isDecisionOf(decision, review));
  return new Map(reviews.map((review) => [review.id, isRejected(review) ? "rejected" : "approved"]));
}

type Reviewed = Pick<AssetRow, "id" | "project" | "kind" | "status" | "sha256">;

/** The approvals of those pending assets that have a review policy, by their ids. */
export async function loadApprovals(
  data: LibraryReads,
  assets: readonly Reviewed[],
): Promise<ReadonlyMap<string, Approvals>> {
  const pending = assets.filter(({ status }) => status === "pending");
  const slugs = [...new Set(pending.map(({ project }) => project))];
  const policies = slugs.length > 0 ? await data.reviewPolicies(slugs, slugs.length * assetKinds.length) : [];
  const counted = pending.flatMap((asset) => {
    const policy = policies.find(({ project, kind }) => project === asset.project && kind === asset.kind);
    return policy ? [{ ...asset, policy }] : [];
  });
  const verdicts = await data.verdicts(counted.map(({ id }) => id));
  const of = Map.groupBy(verdicts, ({ asset }) => asset);
  return new Map(
    counted.map(({ id, policy, sha256 }) => [id, approvalsOf(policy, of.get(id) ?? [], sha256)]),
  );
}

const openMax = 1_000;

/** The pending assets that the caller has approved, and that now wait for others. */
export async function approvedByCaller(
  { data }: Pick<LibraryContext, "data">,
  caller: Pick<Caller, "name" | "actor">,
): Promise<ReadonlyMap<string, string>> {
  if (caller.name === null) return new Map();
  const rows = await data.openApprovals(voterOf(caller), openMax);
  return new Map(rows.map(({ asset, project }) => [asset, project]));
}

/** The last approved version before a pending one that has the same file; null if there is none. */
export async function findApprovedTwin(
  data: LibraryReads,
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
