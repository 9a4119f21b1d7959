/**
 * Updates runs with every append, in its transaction. Events are folded in memory by run, so each run is read
 * and written once for a batch. The write lock makes reading before writing safe.
 */
import type { Micros } from "../../../src/core/lib/time.ts";
import { emptyRun, foldEvent, type RunEvent } from "../../../src/feed/runs/fold.ts";
import { canBeginRun, isPipeline } from "../../../src/feed/runs/pipelines.ts";
import { derivedRunId, derivedRunMicros, endKinds, ruleKey } from "../../../src/feed/runs/rule.ts";
import type { Session } from "../../engine/session.ts";
import {
  addDerived,
  isStart,
  type KnownRuns,
  pairKey,
  pairOf,
  type RuleGroup,
  runKey,
  type ToDerive,
} from "./known-runs.ts";
import type { KnownRun } from "./run-cache.ts";
import { newestDerived, saveRuns } from "./states.ts";

/**
 * Folds appended events into their runs, and saves these.
 * @param known what `readRunsOf` returned for these events, in this transaction
 * @param before `ts` of the newest event before these
 * @param continued what `continuedKeys` returned for these events
 */
export async function recordRuns(
  session: Session,
  known: KnownRuns,
  added: readonly RunEvent[],
  before: Micros,
  continued: ReadonlySet<string>,
): Promise<ToDerive> {
  const named: RunEvent[] = [];
  const unnamed: RunEvent[] = [];
  for (const event of added)
    if (event.project !== null) (event.run_id === null ? unnamed : named).push(event);
  // An imported batch may hold events in any order.
  const groups = [...Map.groupBy(inOrder(unnamed), pairKey)];
  const isLive = ([key, events]: RuleGroup) => continued.has(key) || events.every(({ ts }) => ts > before);
  const live = groups.filter(isLive);
  const { folded, begun } = foldNamed(known, named);
  const changed = [...folded, ...(await foldUnnamed(session, known, live))];
  await saveRuns(session, changed);
  return { past: groups.filter((group) => !isLive(group)), begun };
}

const inOrder = (events: RunEvent[]): RunEvent[] =>
  events.every(({ ts }, index) => index === 0 || ts > (events[index - 1] as RunEvent).ts)
    ? events
    : events.toSorted((a, b) => a.ts - b.ts);

function foldNamed(
  { runs, uncached }: KnownRuns,
  events: RunEvent[],
): { folded: KnownRun[] } & Pick<ToDerive, "begun"> {
  const [folded, begun]: [KnownRun[], RunEvent[]] = [[], []];
  for (const [key, own] of Map.groupBy(events, runKey)) {
    const first = own[0] as RunEvent;
    const found = runs.get(key);
    if (!found && isPipeline(first.run_id)) {
      if (own.some(canBeginRun)) begun.push(first);
      continue;
    }
    const run = found ?? { state: emptyRun(first.run_id as string, null, first), listed: null };
    for (const event of own) foldEvent(run.state, event);
    if (run !== found) {
      runs.set(key, run);
      uncached.add(key);
    }
    folded.push(run);
  }
  return { folded, begun };
}

async function foldUnnamed(
  session: Session,
  { runs, uncached }: KnownRuns,
  groups: RuleGroup[],
): Promise<KnownRun[]> {
  // Not known if a duplicate was the first event of the key that was sent.
  const missing = groups.filter(([key, [first]]) => !runs.has(key) && !isStart(first as RunEvent));
  addDerived(
    runs,
    await newestDerived(
      session,
      missing.map(([key]) => pairOf(key)),
    ),
  );
  const changed: KnownRun[] = [];
  for (const [key, events] of groups) {
    const known = runs.get(key) ?? null;
    const newest = foldInOrder(known, events, changed);
    if (newest === known) continue;
    runs.set(key, newest);
    uncached.add(key);
  }
  return changed;
}

/**
 * Folds the events of one key, in the order of the feed, into the open run and those that they start.
 * @param changed gets the runs that change
 * @returns the newest run then
 */
function foldInOrder(known: KnownRun | null, events: RunEvent[], changed: KnownRun[]): KnownRun | null {
  let newest = known;
  let run = known?.state.status === "running" ? known : null;
  for (const event of events) {
    if (isStart(event))
      newest = run = { state: emptyRun(derivedRunId(event), ruleKey(event), event), listed: null };
    if (!run || event.ts > run.state.started_at + derivedRunMicros) continue;
    foldEvent(run.state, event);
    if (changed.at(-1) !== run) changed.push(run);
    if (endKinds.has(event.kind)) run = null;
  }
  return newest;
}
