/** Decisions: added, superseded, never changed. */
import type { Context } from "../context.ts";
import type { DecisionRow, Writes } from "../data.ts";
import { conflict, notFound } from "../problem.ts";
import type { DecisionText } from "./schema.ts";

/** Records a decision and its event, in one transaction. */
export const decide = (ctx: Context, decision: DecisionText, actor: string): Promise<DecisionRow> =>
  ctx.data.atomically((writes) => recordDecision(writes, decision, actor, ctx.now()));

/** The same inside a transaction that does more. */
export async function recordDecision(
  writes: Writes,
  { source_ref = null, ...decision }: DecisionText,
  actor: string,
  at: number,
): Promise<DecisionRow> {
  if (!(await writes.project(null, decision.project))) throw notFound(`No project with slug '${decision.project}'.`);
  const added = await writes.addDecision({ ...decision, source_ref, actor, valid_from: at });
  if (!added) throw conflict(`Decision ${decision.supersedes} is no current decision of ${decision.project}.`);
  await writes.append([{ kind: "decision.captured", actor, project: decision.project, summary: summaryOf(decision.text) }]);
  return added;
}

/** Ends the decisions that the review of this asset made: it was approved after all. Nothing replaces them. */
export const retireDecisions = (writes: Writes, project: string, asset: string, at: number): Promise<void> =>
  writes.retireDecisions(project, { source: "review", source_ref: asset }, at);

/** The first line of a text, cut to what a summary may hold. */
function summaryOf(text: string): string {
  const line = text.split("\n", 1)[0] as string;
  return line.length <= 300 ? line : `${line.slice(0, 299).toWellFormed()}…`;
}
