/** The review of a set: approves the picked variants, and rejects the others with one note and one decision. */
import { actorOf, eventActor } from "../../core/auth/actor.ts";
import type { Caller } from "../../core/auth/caller.ts";
import { isolateBidi } from "../../core/lib/strings/display-text.ts";
import type { Micros } from "../../core/lib/time.ts";
import { badRequest, conflict, noAsset, Problem } from "../../core/problem.ts";
import { requireProject } from "../../feed/projects/projects.ts";
import { summaryOf } from "../../memory/decisions.ts";
import { requireAnswers } from "../checklists/answers.ts";
import { currentChecklist } from "../checklists/checklists.ts";
import type { LibraryContext, LibraryRule } from "../context.ts";
import type { LibraryReads, LibraryWrites } from "../port.ts";
import type { AssetRow } from "../rows.ts";
import { recordReview } from "../verdicts/review.ts";
import { voterOf } from "../verdicts/verdict.ts";
import { commentOnSet, type Intended, recordSetDecision, renewSetDecision } from "./decision.ts";
import type { ReviewedVariant, SetReview, SetReviewInput, VariantReview } from "./schema.ts";

/** Variants of one transaction, which holds the lock of all writers. */
const chunkLength = 50;

/**
 * Reviews each variant as a review of its own would, so one that was decided meanwhile is refused,
 * and the others are not. The rejected ones share one decision, recorded with the first of them. Repeating
 * the call changes nothing, or continues a call that was interrupted.
 * @throws {Problem} 404 for an unknown project; 400 for a rejection without a note, a variant given twice, or
 *   an approval that the checklist does not allow; 409 for answers to another version of it
 */
export const reviewSet: LibraryRule<SetReviewInput, SetReview> = async (ctx, input, caller) => {
  const { project, set, variants, by } = input;
  await requireProject(ctx.data, project, caller);
  requireValid(input);
  await requireChecklists(ctx.data, input);
  const now = ctx.now();
  // Rejections have a time of their own, by which reads match them with the decision of the set.
  const times = { approved: now, rejected: now + 1 };
  const work = { ctx, input, caller, actor: eventActor(actorOf(caller, by)), times };
  const outcome = new Map<string, ReviewedVariant>();
  let isDecided = false;
  // The picked ones first: the decision names them.
  const sorted = variants.toSorted((a, b) => Number(isRejection(a)) - Number(isRejection(b)));
  for (let start = 0; start < sorted.length; start += chunkLength) {
    const chunk = sorted.slice(start, start + chunkLength);
    const done = await ctx.data.atomically(async (writes) => {
      const found: Reviewed[] = [];
      for (const variant of chunk) found.push(await reviewVariant(work, writes, variant));
      const known = [...outcome.values(), ...found.map(({ result }) => result)];
      return {
        found,
        hasDecision: await decide(work, writes, found, isDecided ? null : intend(input, known)),
      };
    });
    isDecided ||= done.hasDecision;
    for (const { result } of done.found) outcome.set(result.id, result);
  }
  const reviewed = variants.map(({ id }) => outcome.get(id) as ReviewedVariant);
  const refused = reviewed.filter(({ error }) => error !== null).length;
  // The decision took for granted that what followed it would be rejected.
  if (isDecided && refused > 0)
    await ctx.data.atomically((writes) =>
      renewSetDecision(writes, input, { actor: work.actor, at: times.rejected }),
    );
  const decision = await ctx.data.decisionOfSet(project, set);
  return { project, set, reviewed, refused, decision_id: decision?.id ?? null };
};

const isRejection = ({ decision }: VariantReview): boolean => decision === "rejected";

function requireValid({ variants, note = "" }: SetReviewInput): void {
  if (new Set(variants.map(({ id }) => id)).size < variants.length)
    throw badRequest("variants: an id is there twice. Give each variant once.");
  if (summaryOf(note) === "" && variants.some(isRejection))
    throw badRequest("note is required to reject: explain why these variants were not picked.");
}

/** The answers are for all picked ones: without them, the rest would be rejected and nothing picked. */
async function requireChecklists(
  data: LibraryReads,
  { project, set, variants, checklist }: SetReviewInput,
): Promise<void> {
  const picked = variants.filter((variant) => !isRejection(variant)).map(({ id }) => id);
  const found = await data.assetDetails(picked);
  const own = found.filter((asset) => asset.project === project && asset.set === set);
  for (const kind of new Set(own.map((asset) => asset.kind)))
    requireAnswers(await currentChecklist(data, project, kind), checklist, "approved");
}

/** The decision of a set says what was picked, and has none. */
const noRules = { anchors: [], checks: [] };

interface Work {
  ctx: LibraryContext;
  input: SetReviewInput;
  caller: Caller;
  actor: string;
  times: Record<VariantReview["decision"], Micros>;
}

interface Reviewed {
  variant: VariantReview;
  /** False if it was refused, or repeats the reviewer's verdict. */
  isNew: boolean;
  result: ReviewedVariant;
}

/** Refuses instead of throwing what is wrong with this variant alone; nothing of it is written then. */
async function reviewVariant(
  { ctx, input, caller, times }: Work,
  writes: LibraryWrites,
  variant: VariantReview,
): Promise<Reviewed> {
  const { project, set, note, checklist, by } = input;
  const { id, decision, seen_status = "pending" } = variant;
  const asset = await writes.asset(caller.projects, id);
  try {
    if (!asset) throw noAsset(id);
    if (asset.project !== project || asset.set !== set)
      throw conflict(`This asset does not belong to the set "${isolateBidi(set)}" of ${project}.`);
    if (await isRepeated(writes, asset, variant, note, caller))
      return { variant, isNew: false, result: { id, status: asset.status, error: null } };
    const given = {
      ...variant,
      seen_status,
      ...(by !== undefined && { by }),
      ...(decision === "rejected" && note !== undefined && { note }),
      ...(decision === "approved" && checklist && { checklist }),
    };
    const options = { at: times[decision], isOfSet: true, rules: noRules };
    const { status } = await recordReview(ctx, writes, given, caller, options);
    return { variant, isNew: true, result: { id, status, error: null } };
  } catch (error) {
    if (!(error instanceof Problem) || error.status >= 500) throw error;
    const { status, detail } = error;
    const result = { id, status: asset?.status ?? null, error: { status, detail } };
    return { variant, isNew: false, result };
  }
}

/** Whether the caller has given this verdict on this file already, and it decided about the asset. */
async function isRepeated(
  writes: LibraryWrites,
  { id, status, sha256 }: AssetRow,
  { decision }: VariantReview,
  note: string | undefined,
  caller: Caller,
): Promise<boolean> {
  if (status !== decision && !(decision === "approved" && status === "published")) return false;
  const own = (await writes.verdicts([id])).find(({ voter }) => voter === voterOf(caller));
  const isSame = own?.decision === decision && own.sha256 === sha256;
  return isSame && (decision === "approved" || own.note === note);
}

/**
 * Records the decision of the set with the first rejections, or brings it up to date after approvals.
 * @param intended null once it is recorded
 * @returns whether it was recorded
 */
async function decide(
  { ctx, input, actor, times }: Work,
  writes: LibraryWrites,
  found: readonly Reviewed[],
  intended: Intended | null,
): Promise<boolean> {
  const changed = found.filter(({ isNew }) => isNew);
  if (!intended || changed.length === 0) return false;
  if (!changed.some(({ variant }) => isRejection(variant))) {
    await renewSetDecision(writes, input, { actor, at: times.approved });
    return false;
  }
  const by = { actor, at: times.rejected };
  const decision = await recordSetDecision(writes, input, by, intended);
  if (decision) await commentOnSet(ctx, writes, input, by, decision);
  return decision !== null;
}

/** What the call rejects, without what was refused so far. */
function intend({ variants, note = "" }: SetReviewInput, known: readonly ReviewedVariant[]): Intended {
  const refused = new Set(known.filter(({ error }) => error !== null).map(({ id }) => id));
  const rejected = variants.filter((one) => isRejection(one) && !refused.has(one.id));
  return { rejected: new Set(rejected.map(({ id }) => id)), note };
}
