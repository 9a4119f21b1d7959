/** Decisions that agents propose: current at once, last in briefs, and confirmed or dropped by a person. */
import { actorOf, eventActor } from "../core/auth/actor.ts";
import type { Caller } from "../core/auth/caller.ts";
import { conflict } from "../core/problem.ts";
import type { MemoryContext } from "./context.ts";
import { requireDecision, toRecord } from "./decision-history.ts";
import { recordDecision, summaryOf } from "./decisions.ts";
import type { DecisionPath, DecisionRecord } from "./list-schemas.ts";
import type { MemoryWrites } from "./port.ts";
import type { DecisionHistoryRow } from "./rows.ts";

/**
 * Confirms a proposed decision as it is.
 * @throws 404 for an unknown decision, 409 if it is not current, or is confirmed
 */
export const confirmDecision = (
  ctx: MemoryContext,
  { id }: DecisionPath,
  caller: Caller,
): Promise<DecisionRecord> =>
  settle(ctx, id, caller, async (writes, { project, text, ...row }, actor) => {
    await writes.confirmDecision(id);
    await writes.append([{ kind: "decision.confirmed", actor, project, summary: summaryOf(text) }]);
    return toRecord({ ...row, project, text, standing: "confirmed" });
  });

/**
 * Ends a proposed decision. What it replaced applies again, as a new decision.
 * @throws 404 for an unknown decision, 409 if it is not current, or is confirmed
 */
export const dropDecision = (
  ctx: MemoryContext,
  { id }: DecisionPath,
  caller: Caller,
): Promise<DecisionRecord> =>
  settle(ctx, id, caller, async (writes, row, actor) => {
    const { project, supersedes } = row;
    const at = ctx.now();
    const before = supersedes === null ? null : await writes.decision(null, supersedes);
    if (before) {
      const { source, source_ref, standing, stops, text } = before;
      const anchors = await writes.decisionAnchors(before.id);
      const same = { source, source_ref, standing, stops, checks: before.checks ?? [], anchors };
      const again = { project, text, supersedes: id, ...same };
      await recordDecision(writes, again, actor, at);
    } else {
      await writes.retireDecisions(project, { id }, at);
      await writes.append([{ kind: "decision.retired", actor, project, summary: summaryOf(row.text) }]);
    }
    return toRecord({ ...row, valid_until: at });
  });

/** Changes a decision while it is proposed. Of two at the same time, the second is a conflict. */
async function settle(
  ctx: MemoryContext,
  id: number,
  caller: Caller,
  change: (writes: MemoryWrites, row: DecisionHistoryRow, actor: string) => Promise<DecisionRecord>,
): Promise<DecisionRecord> {
  await requireDecision(ctx.data, id, caller);
  return ctx.data.atomically(async (writes) => {
    const row = await writes.decision(null, id);
    if (!row || row.valid_until !== null)
      throw conflict(`Decision ${id} is not current: it was already replaced or retired.`);
    if (row.standing === "confirmed") throw conflict(`Decision ${id} is already confirmed.`);
    return change(writes, row, eventActor(actorOf(caller, undefined)));
  });
}
