/** The words of a rejection's decision, which its reviewers may change. The note of the review stays. */
import { actorOf, eventActor } from "../core/auth/actor.ts";
import { badRequest, conflict } from "../core/problem.ts";
import type { MemoryRule } from "./context.ts";
import { requireDecision, toRecord } from "./decision-history.ts";
import { recordDecision } from "./decisions.ts";
import type { DecisionRecord, RewordInput } from "./list-schemas.ts";
import { reviewSource, setOfRef } from "./set-ref.ts";

/**
 * Replaces the decision by one with other words, which is of the same rejection: it stays first in briefs,
 * and approving the asset retires it. The same words change nothing.
 * @throws 400 if it is of no rejection, 404 for an unknown decision, 409 if it is not current
 */
export const rewordDecision: MemoryRule<RewordInput, DecisionRecord> = async (ctx, { id, text }, caller) => {
  const { project, source_ref, ...before } = await requireDecision(ctx.data, id, caller);
  if (before.source !== reviewSource)
    throw badRequest("Only the words of a rejection can be changed. Replace other decisions with a new one.");
  if (setOfRef(source_ref) !== null)
    throw badRequest("svc writes the decision of a variant set from its reviews. Review the set again.");
  const at = ctx.now();
  return ctx.data.atomically(async (writes) => {
    const found = await writes.decision(null, id);
    if (!found || found.valid_until !== null)
      throw conflict(`Decision ${id} is not current: it was already replaced or retired.`);
    if (found.text === text) return toRecord(found);
    const { checks, stops } = found;
    const anchors = await writes.decisionAnchors(id);
    const same = { checks: checks ?? [], stops, anchors };
    const words = { project, text, source: reviewSource, source_ref, supersedes: id, ...same };
    const {
      added: _,
      contradicts: __,
      ...row
    } = await recordDecision(writes, words, eventActor(actorOf(caller, undefined)), at);
    return toRecord({ ...row, valid_until: null, supersedes: id });
  });
};
