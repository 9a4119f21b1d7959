/**
 * Decisions that agents propose: current at once, last in briefs, and confirmed or dropped by a person. So is
 * the end of a decision with checks that an agent retires.
 */
import { actorOf, eventActor } from "../core/auth/actor.ts";
import type { Caller } from "../core/auth/caller.ts";
import { conflict } from "../core/problem.ts";
import { releaseReplaced, requireHeld } from "./checks/held.ts";
import type { MemoryContext } from "./context.ts";
import { requireDecision, toRecord } from "./decision-history.ts";
import { recordDecision, summaryOf } from "./decisions.ts";
import type { DecisionPath, DecisionRecord } from "./list-schemas.ts";
import type { MemoryWrites } from "./port.ts";
import type { DecisionHistoryRow } from "./rows.ts";

/**
 * Confirms a proposed decision as it is, or the end of one whose checks an agent left in force.
 * @throws 404 for an unknown decision, 409 if it is not current, or is confirmed
 */
export const confirmDecision = (
  ctx: MemoryContext,
  { id }: DecisionPath,
  caller: Caller,
): Promise<DecisionRecord> =>
  settle(ctx, id, caller, async (writes, { project, text, ...row }, actor) => {
    const isEnded = row.valid_until !== null;
    if (isEnded) await writes.setHeld(id, null);
    else await writes.confirmDecision(id);
    await releaseReplaced(writes, row.supersedes);
    const summary = summaryOf(isEnded ? `Retirement confirmed: ${text}` : text);
    await writes.append([{ kind: "decision.confirmed", actor, project, summary }]);
    return toRecord({ ...row, project, text, standing: "confirmed" });
  });

/**
 * Ends a proposed decision. What it replaced applies again, as a new decision, and so does one that an agent
 * retired.
 * @throws 404 for an unknown decision, 409 if it is not current, or is confirmed
 */
export const dropDecision = (
  ctx: MemoryContext,
  { id }: DecisionPath,
  caller: Caller,
): Promise<DecisionRecord> =>
  settle(ctx, id, caller, async (writes, row, actor) => {
    const { project, supersedes, valid_until } = row;
    const at = ctx.now();
    const isEnded = valid_until !== null;
    const replaced = supersedes === null ? null : await writes.decision(null, supersedes);
    const before = isEnded ? row : replaced;
    if (isEnded) await writes.setHeld(id, null);
    if (before) {
      const { source, source_ref, standing, stops, text } = before;
      const anchors = await writes.decisionAnchors(before.id);
      const same = { source, source_ref, standing, stops, checks: before.checks ?? [], anchors };
      const again = { project, text, ...(!isEnded && { supersedes: id }), ...same };
      await recordDecision(writes, again, actor, at);
    } else {
      await writes.retireDecisions(project, { id }, at);
      await writes.append([{ kind: "decision.retired", actor, project, summary: summaryOf(row.text) }]);
    }
    return toRecord({ ...row, valid_until: valid_until ?? at });
  });

/** Changes a decision while it, or its end, is proposed. Of two at the same time, the second is a conflict. */
async function settle(
  ctx: MemoryContext,
  id: number,
  caller: Caller,
  change: (writes: MemoryWrites, row: DecisionHistoryRow, actor: string) => Promise<DecisionRecord>,
): Promise<DecisionRecord> {
  await requireDecision(ctx.data, id, caller);
  return ctx.data.atomically(async (writes) => {
    const row = await writes.decision(null, id);
    const isHeld = row !== null && row.valid_until !== null && (await requireHeld(writes, row));
    if (!row || (row.valid_until !== null && !isHeld))
      throw conflict(`Decision ${id} is not current: it was already replaced or retired.`);
    if (row.standing === "confirmed" && !isHeld) throw conflict(`Decision ${id} is already confirmed.`);
    return change(writes, row, eventActor(actorOf(caller, undefined)));
  });
}
