/** The attempts at a task: the versions of each of its assets, and what became of those that were rejected. */

import { eventActor } from "../../core/auth/actor.ts";
import { toMicros } from "../../core/lib/time.ts";
import { derivedRunIdPrefix } from "../../feed/runs/rule.ts";
import type { Run } from "../../feed/runs/schema.ts";
import type { Asset } from "../../library/assets/schema.ts";
import type { DecisionHistoryRow } from "../../memory/rows.ts";
import { isDecisionOf } from "../../memory/set-ref.ts";
import type { OverviewContext } from "../context.ts";
import type { CarryingBrief } from "../rows.ts";

/** What a review said; a superseded version keeps what its own review said. */
export type Verdict = "pending" | "rejected" | "approved" | "published" | "not reviewed";

export interface Attempt {
  asset: Asset;
  verdict: Verdict;
  /** The run that made it. */
  run: Run | null;
  /** The decision that its rejection became. */
  decision: DecisionHistoryRow | null;
  /** The runs of the task whose brief carried that decision, also in earlier words. */
  briefedRuns: Run[];
  /** The version after it. */
  next: Asset | null;
}

/** The versions of an asset, oldest first. */
export interface AttemptChain {
  title: string;
  attempts: Attempt[];
}

interface TaskParts {
  assets: Asset[];
  runs: Run[];
  decisions: DecisionHistoryRow[];
  briefs: CarryingBrief[];
}

/** The most briefs that are read. */
const briefsMax = 500;

/** The attempts at a task by its assets and runs, which the caller has read. */
export async function loadAttempts(
  { data }: Pick<OverviewContext, "data">,
  { project, assets, runs }: Pick<TaskParts, "assets" | "runs"> & { project: string },
): Promise<AttemptChain[]> {
  const reviews = assets.flatMap(({ id, set = null, reviewed_at }) =>
    reviewed_at === null ? [] : [{ id, set, reviewed_at: toMicros(reviewed_at) }],
  );
  const ids = runs.map(({ id }) => id);
  const [decisions, briefs] = await Promise.all([
    data.rejectionDecisions(project, reviews),
    data.briefsOfRuns(project, ids, briefsMax),
  ]);
  return attemptChains({ assets, runs, decisions, briefs });
}

/** Chains of versions, in the order of their first versions. */
function attemptChains({ assets, runs, decisions, briefs }: TaskParts): AttemptChain[] {
  const byParent = new Map(assets.map((asset) => [asset.parent_id, asset]));
  const ids = new Set(assets.map(({ id }) => id));
  const isFirst = ({ parent_id }: Asset) => parent_id === null || !ids.has(parent_id);
  const firstFirst = assets.toSorted((a, b) => (a.created_at < b.created_at ? -1 : 1));
  return firstFirst.filter(isFirst).map((first) => {
    const attempts: Attempt[] = [];
    for (let asset: Asset | undefined = first; asset; asset = byParent.get(asset.id)) {
      const decision = decisionOf(asset, decisions);
      attempts.push({
        asset,
        decision,
        verdict: verdictOf(asset, decision),
        run: runOf(asset, runs),
        briefedRuns: runsBriefed(decisionsOf(asset, decisions), briefs, runs),
        next: byParent.get(asset.id) ?? null,
      });
    }
    return { title: attempts.at(-1)?.asset.title ?? first.title, attempts };
  });
}

/** The decision that the last rejection of an asset became, in its newest words. */
export const decisionOf = (
  asset: Asset,
  decisions: readonly DecisionHistoryRow[],
): DecisionHistoryRow | null => decisionsOf(asset, decisions).at(-1) ?? null;

/** The same with its earlier words, oldest words first: that of the asset, or that of its variant set. */
function decisionsOf(asset: Asset, decisions: readonly DecisionHistoryRow[]): DecisionHistoryRow[] {
  const { id, set = null } = asset;
  const reviewed_at = asset.reviewed_at === null ? null : toMicros(asset.reviewed_at);
  const all = decisions.filter((decision) => isDecisionOf(decision, { id, set, reviewed_at }));
  const own = all.filter(({ source_ref }) => source_ref === id);
  return (own.length > 0 ? own : all.slice(0, 1)).toSorted((a, b) => a.id - b.id);
}

/** @param decision that its rejection became, if it was rejected */
export function verdictOf(
  { status, reviewed_at }: Asset,
  decision: DecisionHistoryRow | null | undefined,
): Verdict {
  if (status !== "superseded") return status;
  if (reviewed_at === null) return "not reviewed";
  return decision ? "rejected" : "approved";
}

/** The run that the asset names or, by the rule, the one that its creator had at the time. */
function runOf({ run_id, created_by, created_at }: Asset, runs: Run[]): Run | null {
  if (run_id) return runs.find(({ id }) => id === run_id) ?? null;
  const actor = eventActor(created_by);
  const isAt = ({ id, started_at, last_event_at, ...run }: Run) =>
    id.startsWith(derivedRunIdPrefix) &&
    run.actor === actor &&
    started_at <= created_at &&
    created_at <= last_event_at;
  return runs.find(isAt) ?? null;
}

function runsBriefed(wordings: DecisionHistoryRow[], briefs: CarryingBrief[], runs: Run[]): Run[] {
  const carriesOne = ({ decisions }: CarryingBrief) => wordings.some(({ id }) => decisions.includes(id));
  const briefed = new Set(briefs.filter(carriesOne).map(({ run_id }) => run_id));
  return runs.filter((run) => briefed.has(run.id)).toSorted((a, b) => (a.started_at < b.started_at ? -1 : 1));
}

export interface TaskCost {
  total: number;
  /** Of the runs that made only versions that were rejected. */
  rejected: number;
}

/** What a task cost in USD, and how much of it was for rejected versions. */
export function costOf(runs: Run[], chains: AttemptChain[]): TaskCost {
  const sum = (some: Run[]) => some.reduce((all, { cost_equiv }) => all + cost_equiv, 0);
  const byRun = Map.groupBy(
    chains.flatMap(({ attempts }) => attempts),
    ({ run }) => run?.id,
  );
  const isRejected = ({ id }: Run) => byRun.get(id)?.every(({ verdict }) => verdict === "rejected") ?? false;
  return { total: sum(runs), rejected: sum(runs.filter(isRejected)) };
}
