/** Decisions: they are added and superseded, but never changed. */
import { actorOf, eventActor } from "../core/auth/actor.ts";
import { cleanLine } from "../core/lib/strings/clean-text.ts";
import { fromMicros, type Micros } from "../core/lib/time.ts";
import { badRequest, conflict, noProject } from "../core/problem.ts";
import { requireProject } from "../feed/projects/projects.ts";
import { runIdFor } from "../feed/runs/join-run.ts";
import { requireOwnRunId } from "../feed/runs/rule.ts";
import { isChecked, releaseReplaced } from "./checks/held.ts";
import { requireRules } from "./checks/rules.ts";
import type { MemoryContext, MemoryRule } from "./context.ts";
import { adviceOn, toContradiction } from "./contradictions/describe.ts";
import { type Contradicted, findContradicted } from "./contradictions/find.ts";
import { requireDecision, toRecord } from "./decision-history.ts";
import type { RetiredDecision, RetireInput } from "./list-schemas.ts";
import type { MemoryWrites } from "./port.ts";
import type { DecisionRow } from "./rows.ts";
import type { Decided, DecideInput, DecisionText, Standing } from "./schema.ts";
import { reviewSource } from "./set-ref.ts";
import { standingOf } from "./standing.ts";

/** Records a decision as a caller. */
export const recordCallerDecision: MemoryRule<DecideInput, Decided> = async (
  ctx,
  { by, checks: rules = [], ...decision },
  caller,
) => {
  await requireProject(ctx.data, decision.project, caller);
  requireOwnRunId(decision.run_id);
  const { source = "mcp" } = decision;
  if (source === reviewSource)
    throw badRequest("source 'review' is reserved for review notes. Use a different source.");
  await requireRules(rules);
  const actor = eventActor(actorOf(caller, by));
  const row = await ctx.data.atomically(async (writes) => {
    const run_id = await runIdFor(writes, ctx, caller, decision);
    const standing = standingOf(caller, by);
    const checks = rules.map((rule) => ({ ...rule, standing, actor }));
    const found = { ...decision, source, standing, checks, ...(run_id !== null && { run_id }) };
    return recordDecision(writes, found, actor, ctx.now());
  });
  const { stops: _, checks, ...decided } = row;
  const contradicts = row.contradicts.map(toContradiction);
  return {
    ...decided,
    checks: checks ?? [],
    valid_from: fromMicros(row.valid_from),
    contradicts,
    advice:
      [adviceOn(contradicts), await heldText(ctx, decision.supersedes, row)].filter(Boolean).join(" ") ||
      null,
  };
};

/** What an agent is told whose decision does not end the checks of the one before. */
async function heldText(
  { data }: MemoryContext,
  supersedes: number | undefined,
  { standing }: DecisionRow,
): Promise<string | null> {
  if (supersedes === undefined || standing === "confirmed") return null;
  const before = await data.decision(null, supersedes);
  if (!before || !isChecked(before)) return null;
  return `The checks of decision ${supersedes} apply until a person confirms yours.`;
}

type Recorded = DecisionRow & { added: boolean; contradicts: Contradicted[] };
/** `stops`: of the same decision in other words. */
type NewWords = DecisionText & Pick<DecideInput, "anchors"> & { standing?: Standing; stops?: number };

/**
 * Records a decision and its event within a transaction. A decision that repeats the text of a current one is
 * not added again, except for review notes: each of them is a decision of its own. A person who repeats what
 * an agent proposed confirms it.
 */
export async function recordDecision(
  writes: MemoryWrites,
  { source_ref = null, standing = "confirmed", checks: given, anchors, ...decision }: NewWords,
  actor: string,
  at: Micros,
): Promise<Recorded> {
  const { project, text, source, supersedes, run_id = null } = decision;
  const checks = given?.length ? given : null;
  const summary = summaryOf(text);
  if (!summary) throw badRequest("The text of the decision is blank. Say what was decided.");
  if (!(await writes.project(null, project))) throw noProject(project);
  const same = source === reviewSource ? null : await writes.decisionByText(project, text);
  const isConfirmed = same?.standing === "proposed" && standing === "confirmed";
  if (isConfirmed) {
    await writes.confirmDecision(same.id);
    await releaseReplaced(writes, (await writes.decision(null, same.id))?.supersedes ?? null);
    same.standing = standing;
  }
  if (same && checks?.length && standing === "confirmed") {
    await writes.setChecks(same.id, checks);
    same.checks = checks;
  }
  const contradicts = await findContradicted(writes, { project, text, source, source_ref, supersedes });
  const anchored = anchors && anchors.length > 0 ? JSON.stringify(anchors) : null;
  // A person may keep a decision for what its words say when its files are gone.
  const isReleased = anchors?.length === 0 && standing === "confirmed";
  if (same && (anchored !== null || isReleased)) await writes.setAnchors(same.id, anchored);
  if (same && (supersedes === undefined || supersedes === same.id))
    return { ...same, added: false, contradicts };
  const ids = contradicts.map(({ decision }) => decision.id).join(" ") || null;
  const added = {
    ...decision,
    checks,
    source_ref,
    standing,
    actor,
    valid_from: at,
    contradicts: ids,
    anchors: anchored,
  };
  const row = same
    ? (await writes.retireDecisions(project, { id: supersedes as number }, at)) > 0 && same
    : await writes.addDecision(added);
  if (!row)
    throw conflict(
      `Decision ${supersedes} is not a current decision of ${project}. List the current ones and ` +
        "pass one of their ids.",
    );
  if (supersedes !== undefined) await endReplaced(writes, supersedes, standing, at);
  await writes.append([{ kind: "decision.captured", actor, project, summary, run_id }]);
  return { ...row, added: row !== same, contradicts };
}

/** The checks of a decision that a person confirmed stay in force if it is ended by an agent. */
async function endReplaced(
  writes: MemoryWrites,
  supersedes: number,
  standing: Standing,
  at: Micros,
): Promise<void> {
  if (standing === "confirmed") return releaseReplaced(writes, supersedes);
  const before = await writes.decision(null, supersedes);
  if (before && isChecked(before)) await writes.setHeld(supersedes, at);
}

/**
 * Ends the decisions that reviews of an asset made, because it was approved after all. Nothing replaces them.
 */
export const retireDecisions = (
  writes: MemoryWrites,
  project: string,
  asset: string,
  at: Micros,
): Promise<number> => writes.retireDecisions(project, { source: reviewSource, source_ref: asset }, at);

/**
 * Ends a current decision as a caller, without replacing it, and appends its event in the same transaction.
 * @throws 404 for an unknown decision, 409 if it is not current
 */
export const retireDecision: MemoryRule<RetireInput, RetiredDecision> = async (ctx, { id, by }, caller) => {
  const row = await requireDecision(ctx.data, id, caller);
  const { project, text } = row;
  const isHeld = standingOf(caller, by) === "proposed" && isChecked(row);
  const actor = eventActor(actorOf(caller, by));
  const at = ctx.now();
  return ctx.data.atomically(async (writes) => {
    if ((await writes.retireDecisions(project, { id }, at)) === 0)
      throw conflict(`Decision ${id} is not current: it was already replaced or retired.`);
    if (isHeld) await writes.setHeld(id, at);
    await writes.append([{ kind: "decision.retired", actor, project, summary: summaryOf(text) }]);
    const advice = isHeld ? "Its checks still apply until a person confirms on Today that it ended." : null;
    return { ...toRecord({ ...row, valid_until: at }), advice };
  });
};

const summaryBytesMax = 900;

/** The first line of a text that is not blank, truncated to the maximum length of a summary. */
export function summaryOf(text: string): string {
  for (const line of text.split("\n")) {
    const summary = cleanLine(line, summaryBytesMax);
    if (summary) return summary;
  }
  return "";
}
