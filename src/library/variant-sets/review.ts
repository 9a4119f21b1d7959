/** The review of a set: approves the picked variants, and rejects the others with one note. */
import { actorOf, eventActor } from "../../core/auth/actor.ts";
import type { Caller } from "../../core/auth/caller.ts";
import type { Micros } from "../../core/lib/time.ts";
import { badRequest } from "../../core/problem.ts";
import { requireProject } from "../../feed/projects/projects.ts";
import { summaryOf } from "../../memory/decisions.ts";
import { requireAnswers } from "../checklists/answers.ts";
import { currentChecklist } from "../checklists/checklists.ts";
import type { LibraryContext } from "../context.ts";
import type { LibraryWrites } from "../port.ts";
import { commentOnSet } from "./comment.ts";
import { type Intended, recordSetDecision, renewSetDecision } from "./decision.ts";
import type { ReviewedVariant, SetReview, SetReviewInput, VariantReview } from "./review-schema.ts";
import { type Reviewed, reviewVariant } from "./review-variant.ts";

/** Variants of one transaction, which holds the lock of all writers. */
const chunkLength = 50;

/**
 * Reviews each variant as a review of its own would, so one that was decided meanwhile is refused,
 * and the others are not. The rejected ones share one decision, recorded with the first of them. Repeating
 * the call changes nothing, or continues a call that was interrupted.
 * @throws {Problem} 404 for an unknown project; 400 for a rejection without a note, a variant given twice, or
 *   an approval that the checklist does not allow; 409 for answers to another version of it
 */
export async function reviewSet(
  ctx: LibraryContext,
  input: SetReviewInput,
  caller: Caller,
): Promise<SetReview> {
  const { project, set, variants, note = "", by } = input;
  await requireProject(ctx.data, project, caller);
  requireValid(variants, note);
  await requireChecklists(ctx, input);
  const work = { ctx, input, caller, actor: eventActor(actorOf(caller, by)), ...timesFrom(ctx.now()) };
  const outcome = new Map<string, ReviewedVariant>();
  let isDecided = false;
  // The picked ones first: the decision names them.
  const sorted = variants.toSorted((a, b) => Number(isRejection(a)) - Number(isRejection(b)));
  for (let start = 0; start < sorted.length; start += chunkLength) {
    const chunk = sorted.slice(start, start + chunkLength);
    const done = await ctx.data.atomically(async (writes) => {
      const found = await reviewAll(work, writes, chunk);
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
      renewSetDecision(writes, { project, set }, { actor: work.actor, at: work.rejectedAt }),
    );
  const decision = await ctx.data.decisionOfSet(project, set);
  return { project, set, reviewed, refused, decision_id: decision?.id ?? null };
}

const isRejection = ({ decision }: VariantReview): boolean => decision === "rejected";

function requireValid(variants: readonly VariantReview[], note: string): void {
  if (new Set(variants.map(({ id }) => id)).size < variants.length)
    throw badRequest("variants: an id is there twice. Give each variant once.");
  if (summaryOf(note) === "" && variants.some(isRejection))
    throw badRequest("note is required to reject: explain why these variants were not picked.");
}

/** The answers are for all picked ones: without them, the rest would be rejected and nothing picked. */
async function requireChecklists(
  { data }: Pick<LibraryContext, "data">,
  { project, set, variants, checklist }: SetReviewInput,
): Promise<void> {
  const picked = variants.filter((variant) => !isRejection(variant)).map(({ id }) => id);
  const found = await data.assetDetails(picked);
  const own = found.filter((asset) => asset.project === project && asset.set === set);
  for (const kind of new Set(own.map((asset) => asset.kind)))
    requireAnswers(await currentChecklist(data, project, kind), checklist, "approved");
}

/** Rejections have a time of their own, by which reads match them with the decision of the set. */
const timesFrom = (now: Micros) => ({ approvedAt: now, rejectedAt: now + 1 });

interface Work extends ReturnType<typeof timesFrom> {
  ctx: LibraryContext;
  input: SetReviewInput;
  caller: Caller;
  actor: string;
}

async function reviewAll(
  { ctx, input, caller, approvedAt, rejectedAt }: Work,
  writes: LibraryWrites,
  variants: readonly VariantReview[],
): Promise<Reviewed[]> {
  const found: Reviewed[] = [];
  for (const variant of variants) {
    const at = isRejection(variant) ? rejectedAt : approvedAt;
    found.push(await reviewVariant(ctx, writes, { ...input, variant, at }, caller));
  }
  return found;
}

/**
 * Records the decision of the set with the first rejections, or brings it up to date after approvals.
 * @param intended null once it is recorded
 * @returns whether it was recorded
 */
async function decide(
  { ctx, input, actor, approvedAt, rejectedAt }: Work,
  writes: LibraryWrites,
  found: readonly Reviewed[],
  intended: Intended | null,
): Promise<boolean> {
  const changed = found.filter(({ isNew }) => isNew);
  if (!intended || changed.length === 0) return false;
  if (!changed.some(({ variant }) => isRejection(variant))) {
    await renewSetDecision(writes, input, { actor, at: approvedAt });
    return false;
  }
  const by = { actor, at: rejectedAt };
  const decision = await recordSetDecision(writes, input, by, intended);
  if (decision) await commentOnSet(ctx, writes, input, by, decision);
  return decision !== null;
}

/** What the call makes of the set, without what was refused so far. */
function intend({ variants, note = "" }: SetReviewInput, known: readonly ReviewedVariant[]): Intended {
  const refused = new Set(known.filter(({ error }) => error !== null).map(({ id }) => id));
  const idsOf = (decision: VariantReview["decision"]) =>
    new Set(variants.filter((one) => one.decision === decision && !refused.has(one.id)).map(({ id }) => id));
  return { picked: idsOf("approved"), rejected: idsOf("rejected"), note };
}
