/** The checks of decisions: a person saves them, agents propose them, and what they stop is counted. */
import { actorOf, eventActor } from "../../core/auth/actor.ts";
import type { Viewer } from "../../core/auth/caller.ts";
import { conflict } from "../../core/problem.ts";
import { requireProject } from "../../feed/projects/projects.ts";
import { dedupeScope } from "../../feed/reserved-keys.ts";
import { requireOwnRunId } from "../../feed/runs/rule.ts";
import type { MemoryContext, MemoryRule } from "../context.ts";
import { requireDecision, toRecord } from "../decision-history.ts";
import { summaryOf } from "../decisions.ts";
import type { DecisionRecord } from "../list-schemas.ts";
import { heldMax } from "./held.ts";
import { ruleText } from "./rule-text.ts";
import { requireRules } from "./rules.ts";
import type { CheckList, ChecksInput, ProjectChecksQuery, StopInput, Stopped } from "./schema.ts";

/** Decisions with checks that a project's programs are given. */
const decisionsMax = 500;

/**
 * Saves the checks of a decision as a person, in place of those that people saved. What an agent proposed
 * stays proposed unless it is among them.
 * @throws 400 for a rule that says nothing, 404 for an unknown decision, 409 if it is not current
 */
export const setChecks: MemoryRule<ChecksInput, DecisionRecord> = async (ctx, { id, checks }, caller) => {
  await requireRules(checks);
  await requireDecision(ctx.data, id, caller);
  const actor = eventActor(actorOf(caller, undefined));
  return ctx.data.atomically(async (writes) => {
    const row = await writes.decision(null, id);
    if (!row || row.valid_until !== null)
      throw conflict(`Decision ${id} is not current: it was already replaced or retired.`);
    const given = new Set(checks.map(ruleText));
    const proposed = (row.checks ?? []).filter(
      (one) => one.standing === "proposed" && !given.has(ruleText(one)),
    );
    const saved = checks.map((rule) => ({ ...rule, standing: "confirmed" as const, actor }));
    await writes.setChecks(id, [...saved, ...proposed]);
    return toRecord({ ...row, checks: [...saved, ...proposed] });
  });
};

/**
 * What the programs of a project check: confirmed checks of confirmed decisions that are current, or that no
 * person ended. @throws 404
 */
export async function listProjectChecks(
  { data }: Pick<MemoryContext, "data">,
  { slug }: ProjectChecksQuery,
  caller: Viewer,
): Promise<CheckList> {
  await requireProject(data, slug, caller);
  const [current, held] = [
    await data.checkedDecisions(slug, decisionsMax),
    await data.heldDecisions([slug], heldMax),
  ];
  const checks = [...current, ...held].flatMap(({ id, text, actor, checks }) =>
    (checks ?? [])
      .filter(({ standing }) => standing === "confirmed")
      .map(({ standing: _, actor: __, ...rule }) => ({ decision: id, text, actor, rule })),
  );
  return { checks, count: checks.length };
}

/** Counts that a check of the decision stopped something, and says so in the feed. @throws 404 */
export const recordStop: MemoryRule<StopInput, Stopped> = async (ctx, { id, key, by, run_id }, caller) => {
  requireOwnRunId(run_id);
  const { project, text } = await requireDecision(ctx.data, id, caller);
  const actor = eventActor(actorOf(caller, by));
  return ctx.data.atomically(async (writes) => {
    const { added } = await writes.append([
      {
        kind: "check.stopped",
        actor,
        project,
        run_id: run_id ?? null,
        summary: summaryOf(`Stopped by decision ${id}: ${text}`),
        dedupe_key: `check:${id}:${key}`,
        key_scope: dedupeScope(project, ""),
      },
    ]);
    return { stops: await writes.countStops(id, added.length) };
  });
};
