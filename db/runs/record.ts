/**
 * Updates runs with every append, in its transaction. Events are folded in memory by run, so each run is read
 * and written once for a batch. The write lock makes reading before writing safe.
 */
import type { Micros } from "../../src/lib/time.ts";
import type { Appendable } from "../../src/rows.ts";
import { emptyRun, foldEvent, type RunEvent } from "../../src/runs/fold.ts";
import { canBeginRun, isPipeline } from "../../src/runs/pipelines.ts";
import { derivedRunId, derivedRunMicros, endKinds, ruleKey } from "../../src/runs/rule.ts";
import type { Session } from "../engine/session.ts";
import { pipeline } from "../query/pipeline.ts";
import { keysWithoutLater, type PastGroup } from "./later-events.ts";
import { type KnownRun, newestDerived, runsById, saveRuns } from "./states.ts";

/** The events of one derived run key. */
export type RuleGroup = [key: string, events: RunEvent[]];

/** What is to be derived from the stored events, once these are stored. */
export interface ToDerive {
  /** Groups of which some events were added to the past, for `deriveAround`. */
  past: RuleGroup[];
  /** The first event of each pipeline that begins: its jobs may have been stored before. */
  begun: RunEvent[];
}

type SentEvent = Pick<Appendable, "kind" | "actor" | "project" | "run_id" | "issue" | "pr" | "ts">;

/** The runs that events may continue, by `runKey` and, where these have no `run_id`, by `pairKey`. */
export interface KnownRuns {
  named: ReadonlyMap<string, KnownRun>;
  derived: Map<string, KnownRun | null>;
  /** Keys of past events after which none of the key is stored yet: they continue its runs as live ones do. */
  continued: ReadonlySet<string>;
}

/** Reads the runs of events before they are appended, so that Postgres answers along with its other reads. */
export async function readRunsOf(session: Session, sent: readonly SentEvent[]): Promise<KnownRuns> {
  const ids = new Set<string>();
  const firsts = new Map<string, SentEvent>();
  const past = new Map<string, PastGroup>();
  for (const event of sent) {
    if (event.project == null) continue;
    if (event.run_id != null) ids.add(runKey(event));
    else {
      const key = pairKey(event);
      if (!firsts.has(key)) firsts.set(key, event);
      if (event.ts !== undefined && event.ts < (past.get(key)?.ts ?? Number.POSITIVE_INFINITY))
        past.set(key, { ...event, key, ts: event.ts });
    }
  }
  const [named, derived, continued] = await pipeline([
    runsById(session, [...ids].map(pairOf)),
    readDerived(
      session,
      [...firsts].filter(([, first]) => !isStart(first)).map(([key]) => key),
    ),
    keysWithoutLater(session, [...past.values()]),
  ]);
  const byKey = new Map(named.map((run) => [`${run.state.id}\n${run.state.project}`, run]));
  return { named: byKey, derived, continued };
}

async function readDerived(session: Session, keys: string[]): Promise<KnownRuns["derived"]> {
  const found: KnownRuns["derived"] = new Map(keys.map((key) => [key, null]));
  for (const run of await newestDerived(session, keys.map(pairOf)))
    found.set(`${run.state.project}\n${run.state.rule_key}`, run);
  return found;
}

/**
 * Folds appended events into their runs.
 * @param known what `readRunsOf` returned for these events, in this transaction
 * @param before `ts` of the newest event before these
 */
export async function recordRuns(
  session: Session,
  known: KnownRuns,
  added: readonly RunEvent[],
  before: Micros,
): Promise<ToDerive> {
  const named: RunEvent[] = [];
  const unnamed: RunEvent[] = [];
  for (const event of added)
    if (event.project !== null) (event.run_id === null ? unnamed : named).push(event);
  // An imported batch may hold events in any order.
  const groups = [...Map.groupBy(inOrder(unnamed), pairKey)];
  const isLive = ([key, events]: RuleGroup) =>
    known.continued.has(key) || events.every(({ ts }) => ts > before);
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

/** Id and project of a named run; neither holds a line break. */
const runKey = ({ run_id, project }: SentEvent): string => `${run_id}\n${project}`;
/** Project and rule key; neither holds a line break. */
const pairKey = ({ project, actor, issue = null, pr = null }: SentEvent): string =>
  `${project}\n${ruleKey({ actor, issue, pr })}`;
const pairOf = (key: string): [string, string] => {
  const end = key.indexOf("\n");
  return [key.slice(0, end), key.slice(end + 1)];
};

const isStart = ({ kind }: SentEvent): boolean => kind === "run.started";

function foldNamed(known: KnownRuns, events: RunEvent[]): { folded: KnownRun[] } & Pick<ToDerive, "begun"> {
  const [folded, begun]: [KnownRun[], RunEvent[]] = [[], []];
  for (const [key, own] of Map.groupBy(events, runKey)) {
    const first = own[0] as RunEvent;
    const found = known.named.get(key);
    if (!found && isPipeline(first.run_id)) {
      if (own.some(canBeginRun)) begun.push(first);
      continue;
    }
    const run = found ?? { state: emptyRun(first.run_id as string, null, first), listed: null };
    for (const event of own) foldEvent(run.state, event);
    folded.push(run);
  }
  return { folded, begun };
}

async function foldUnnamed(
  session: Session,
  { derived }: KnownRuns,
  groups: RuleGroup[],
): Promise<KnownRun[]> {
  // A run that begins within the batch does not need the one before, unless its start was a duplicate.
  const missing = groups.filter(([key, [first]]) => !derived.has(key) && !isStart(first as RunEvent));
  for (const [key, run] of await readDerived(
    session,
    missing.map(([key]) => key),
  ))
    derived.set(key, run);
  return groups.flatMap(([key, events]) => foldInOrder(derived.get(key) ?? null, events));
}

/** Folds the events of one key, in the order of the feed, into the open run and those that they start. */
function foldInOrder(newest: KnownRun | null, events: RunEvent[]): KnownRun[] {
  const changed = new Set<KnownRun>();
  let run = newest?.state.status === "running" ? newest : null;
  for (const event of events) {
    if (isStart(event)) run = { state: emptyRun(derivedRunId(event), ruleKey(event), event), listed: null };
    if (!run || event.ts > run.state.started_at + derivedRunMicros) continue;
    foldEvent(run.state, event);
    changed.add(run);
    if (endKinds.has(event.kind)) run = null;
  }
  return [...changed];
}
