/** Waiting for a variant set: until all its variants are decided. */

import type { Caller } from "../../core/auth/caller.ts";
import { isolateBidi } from "../../core/lib/strings/display-text.ts";
import { fromMicros } from "../../core/lib/time.ts";
import { notFound } from "../../core/problem.ts";
import { requireProject } from "../../feed/projects/projects.ts";
import { setPageUrl } from "../../memory/set-ref.ts";
import { reviewUrlOf, type SiteConfig } from "../assets/page-url.ts";
import type { LibraryContext } from "../context.ts";
import type { ReviewState, SetStatus } from "../rows.ts";
import { loadApprovals } from "../verdicts/approvals.ts";
import type { Approvals } from "../verdicts/schema.ts";

import type { ReviewWait } from "./wait-schema.ts";

/** Variants that an answer names: an agent reads all of it. */
const itemsMax = 50;
/** Variants that they are chosen from. */
const readMax = 1_000;

/** Without its items: it is loaded again after each review. @throws {Problem} 404 for an unknown project or set */
export async function loadSetAnswer(
  { config, data }: Pick<LibraryContext, "config" | "data">,
  { project, set }: { project: string; set: string },
  caller: Caller,
  { applied, after }: AnswerOptions,
): Promise<ReviewWait> {
  await requireProject(data, project, caller);
  const statuses = await data.setStatuses(project, [set]);
  if (statuses.length === 0) throw notFound(`${project} has no variant set "${isolateBidi(set)}".`);
  const counts = countsOf(statuses);
  const url = setPageUrl(config, project, set);
  const cursor = waitCursor(statuses.map((one) => `${one.status} ${one.count} ${one.reviewed_at}\n`));
  const isDecided = counts.pending === 0 || (after !== undefined && after !== cursor);
  return {
    state: isDecided ? "decided" : "pending",
    timeout_applied: applied,
    cursor,
    set: { ...counts, ...(counts.pending > 0 && { review_url: url }) },
    items: [],
    next: nextStep(counts, url),
  };
}

function countsOf(statuses: readonly SetStatus[]): NonNullable<ReviewWait["set"]> {
  const count = (...of: SetStatus["status"][]) =>
    statuses.filter(({ status }) => of.includes(status)).reduce((sum, one) => sum + one.count, 0);
  const [pending, approved, rejected] = [count("pending"), count("approved", "published"), count("rejected")];
  return { variants: pending + approved + rejected, pending, approved, rejected };
}

const ranks = { published: 0, approved: 0, pending: 1, rejected: 2, superseded: 3 };

/** The picked variants, those that have some approvals, and the rejected ones. */
export async function loadSetItems(
  { config, data }: Pick<LibraryContext, "config" | "data">,
  project: string,
  set: string,
): Promise<ReviewWait["items"]> {
  const rows = await data.variants(project, set, readMax);
  const approvals = await loadApprovals(data, rows);
  const isShown = ({ id, status }: (typeof rows)[number]) =>
    status !== "pending" || (approvals.get(id)?.have ?? 0) > 0;
  const shown = rows.filter(isShown).toSorted((a, b) => ranks[a.status] - ranks[b.status]);
  const ids = shown.slice(0, itemsMax).map(({ id }) => id);
  const states = new Map((await data.reviewStates([project], ids)).map((state) => [state.id, state]));
  return ids.flatMap((id) => {
    const state = states.get(id);
    return state ? [toItem(config, state, approvals.get(id))] : [];
  });
}

function nextStep({ variants, pending, approved }: NonNullable<ReviewWait["set"]>, url: string): string {
  if (pending > 0)
    return (
      `${variants - pending} of ${variants} variants are decided. The others are pending, which is not an ` +
      `approval. A person reviews them at ${url}. ` +
      "Call again with this cursor, or go on with other work and check later."
    );
  if (approved > 0) return "The set is decided. Go on with the approved variants.";
  return "None was picked: read the decision and the notes, and make new variants.";
}

/** The parts of the answer of a wait. */
export interface AnswerOptions {
  /** The timeout, in seconds. */
  applied: number;
  /** The cursor of the previous answer. */
  after: string | undefined;
}

export function toItem(
  config: SiteConfig,
  { project: _, kind: __, reviewed_at, ...item }: ReviewState,
  approvals: Approvals | undefined,
): ReviewWait["items"][number] {
  const at = reviewed_at === null ? null : fromMicros(reviewed_at);
  return { ...item, reviewed_at: at, ...(approvals && { approvals }), ...reviewUrlOf(config, item) };
}

/** @param lines what was reviewed and when, in any order */
export const waitCursor = (lines: readonly string[]): string =>
  new Bun.CryptoHasher("sha256").update(lines.toSorted().join("")).digest("base64url").slice(0, 16);
