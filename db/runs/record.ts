/**
 * Updates runs with every append, in its transaction. Events are folded in memory by run, so each run is read
 * and written once for a batch. The write lock makes reading before writing safe.
 */
import type { EventRow } from "../../src/feed/schema.ts";
import type { Micros } from "../../src/lib/time.ts";
import { emptyRun, foldEvent, type RunEvent, type RunState } from "../../src/runs/fold.ts";
import { derivedRunId, derivedRunMicros, endKinds, ruleKey } from "../../src/runs/rule.ts";
import type { Session } from "../engine/session.ts";
import { pipeline } from "../query/pipeline.ts";
import { newestDerived, saveState, statesOf } from "./states.ts";

/** The events of one derived run key. */
export type RuleGroup = [key: string, events: RunEvent[]];

/**
 * Folds appended events into their runs.
 * @param before `ts` of the newest event before these
 * @returns the groups to derive from the stored events (deriveAround), as some were added to the past
 */
export async function recordRuns(
  session: Session,
  added: readonly RunEvent[],
  before: Micros,
): Promise<RuleGroup[]> {
  const named: RunEvent[] = [];
  const unnamed: RunEvent[] = [];
  for (const event of added)
    if (event.project !== null) (event.run_id === null ? unnamed : named).push(event);
  // An imported batch may hold events in any order.
  const groups = [...Map.groupBy(inOrder(unnamed), pairKey)];
  const isLive = ([, events]: RuleGroup) => events.every(({ ts }) => ts > before);
  const live = groups.filter(isLive);
  const [ofNamed, ofUnnamed] = await pipeline([foldNamed(session, named), foldUnnamed(session, live)]);
  await pipeline([...ofNamed, ...ofUnnamed].map((state) => saveState(session, state)));
  return groups.filter((group) => !isLive(group));
}

const inOrder = (events: RunEvent[]): RunEvent[] =>
  events.every(({ ts }, index) => index === 0 || ts > (events[index - 1] as RunEvent).ts)
    ? events
    : events.toSorted((a, b) => a.ts - b.ts);

/** Project and rule key; neither holds a line break. */
const pairKey = (event: EventRow): string => `${event.project}\n${ruleKey(event)}`;

async function foldNamed(session: Session, events: RunEvent[]): Promise<RunState[]> {
  const byRun = Map.groupBy(events, ({ run_id, project }) => `${run_id}\n${project}`);
  const stored = await statesOf(
    session,
    [...byRun.keys()].map((key) => key.split("\n")),
  );
  const states = new Map(stored.map((state) => [`${state.id}\n${state.project}`, state]));
  return [...byRun].map(([key, own]) => {
    const first = own[0] as RunEvent;
    const state = states.get(key) ?? emptyRun(first.run_id as string, null, first);
    for (const event of own) foldEvent(state, event);
    return state;
  });
}

/** A run that begins within the batch does not need the one before. */
const needsStored = ([, events]: RuleGroup): boolean => events[0]?.kind !== "run.started";

async function foldUnnamed(session: Session, groups: RuleGroup[]): Promise<RunState[]> {
  const stored = await newestDerived(
    session,
    groups.filter(needsStored).map(([key]) => key.split("\n")),
  );
  const open = new Map(stored.map((state) => [`${state.project}\n${state.rule_key}`, state]));
  return groups.flatMap(([key, events]) => foldInOrder(open.get(key) ?? null, events));
}

/** Folds the events of one key, in the order of the feed, into the open run and those that they start. */
function foldInOrder(newest: RunState | null, events: RunEvent[]): RunState[] {
  const changed = new Set<RunState>();
  let run = newest?.status === "running" ? newest : null;
  for (const event of events) {
    if (event.kind === "run.started") run = emptyRun(derivedRunId(event), ruleKey(event), event);
    if (!run || event.ts > run.started_at + derivedRunMicros) continue;
    foldEvent(run, event);
    changed.add(run);
    if (endKinds.has(event.kind)) run = null;
  }
  return [...changed];
}
