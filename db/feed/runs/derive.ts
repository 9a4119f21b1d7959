/** Derives runs from their stored events: for events imported into the past, and for `svc doctor`. */

import type { Micros } from "../../../src/core/lib/time.ts";
import { emptyRun, foldEvent, type RunEvent, type RunState } from "../../../src/feed/runs/fold.ts";
import { derivedRunId, derivedRunMicros, endKinds, ruleKey } from "../../../src/feed/runs/rule.ts";
import type { EventRow } from "../../../src/feed/schema.ts";
import type { Session } from "../../engine/session.ts";
import type { EventsOfRun } from "./events-of.ts";
import { type EventRange, firstPage, laterPages, readEventsOfRuns } from "./events-of-many.ts";
import { runKey } from "./known-runs.ts";
import { saveRuns, startedBefore } from "./states.ts";

/** A run that is being derived. */
interface Derivation {
  range: EventRange;
  state: RunState | null;
  isComplete: boolean;
}

/**
 * Returns the states of runs by their events, up to `until`; null for a run that has none.
 * @param runs each only once
 */
export async function deriveRuns(
  session: Session,
  runs: readonly EventsOfRun[],
  until = Number.MAX_SAFE_INTEGER,
): Promise<(RunState | null)[]> {
  const all = rangesOf(runs, until).map((range): Derivation => ({ range, state: null, isComplete: false }));
  let page = firstPage;
  for (let open = all; open.length > 0; open = open.filter(({ isComplete }) => !isComplete)) {
    for (let at = 0; at < open.length; at += page.runs)
      await continueFrom(session, page, open.slice(at, at + page.runs));
    page = laterPages;
  }
  return all.map(({ state }) => state);
}

/** A derived run ends a day after its start, and before the next one here with the same key. */
function rangesOf(runs: readonly EventsOfRun[], until: Micros): EventRange[] {
  const derived = runs.filter(({ rule_key }) => rule_key !== null);
  const byKey = Map.groupBy(derived, ({ project, rule_key }) => `${project}\n${rule_key}`);
  const nextStart = new Map<EventsOfRun, Micros>();
  for (const own of byKey.values()) {
    own.sort((a, b) => a.started_at - b.started_at);
    for (const [index, { started_at }] of own.slice(1).entries())
      nextStart.set(own[index] as EventsOfRun, started_at);
  }
  return runs.map((run) => {
    if (run.rule_key === null) return { run, first: Number.MIN_SAFE_INTEGER, last: until };
    const end = Math.min(run.started_at + derivedRunMicros, (nextStart.get(run) ?? until + 1) - 1);
    return { run, first: run.started_at, last: Math.min(end, until) };
  });
}

async function continueFrom(
  session: Session,
  page: typeof firstPage,
  open: readonly Derivation[],
): Promise<void> {
  const ranges = open.map(({ range }) => range);
  const found = await readEventsOfRuns(session, page, ranges);
  for (const derivation of open) {
    const { range } = derivation;
    const events = found.get(range.run) ?? [];
    for (const event of events) if (!derivation.isComplete) foldNext(derivation, event);
    const last = events.at(-1);
    if (!last || events.length < page.events) derivation.isComplete = true;
    else range.first = last.ts + 1;
  }
}

/** Folds the next event; a derived run is complete after its end, and before the next start. */
function foldNext(derivation: Derivation, event: RunEvent): void {
  const { id, rule_key } = derivation.range.run;
  const isStart = event.kind === "run.started";
  derivation.isComplete = rule_key !== null && (derivation.state ? isStart : !isStart);
  if (derivation.isComplete) return;
  derivation.state ??= emptyRun(id, rule_key, event);
  foldEvent(derivation.state, event);
  derivation.isComplete = rule_key !== null && endKinds.has(event.kind);
}

async function deriveAndSave(session: Session, runs: readonly EventsOfRun[], until?: Micros): Promise<void> {
  if (runs.length === 0) return;
  const states = await deriveRuns(session, runs, until);
  await saveRuns(
    session,
    states.flatMap((state) => (state ? { state, listed: null } : [])),
  );
}

/** Derives pipelines that begin, with the jobs that were stored before. @param begun an event of each */
export const derivePipelines = (
  session: Session,
  begun: readonly EventRow[],
  until?: Micros,
): Promise<void> =>
  deriveAndSave(
    session,
    [...new Map(begun.map((event) => [runKey(event), namedRunOf(event)])).values()],
    until,
  );

const namedRunOf = ({ run_id, project, actor, issue, pr, ts }: EventRow): EventsOfRun => ({
  id: run_id as string,
  project: project as string,
  rule_key: null,
  actor,
  issue,
  pr,
  started_at: ts,
  last_event_at: ts,
});

/**
 * Derives again the runs that events without a `run_id` change when they are added to the past: those that
 * they start, and the one before each. A run spans a day at most, which bounds what is read.
 */
export async function deriveAround(session: Session, events: readonly EventRow[]): Promise<void> {
  if (events.length === 0) return;
  const starts = events.filter(({ kind }) => kind === "run.started");
  const times = events.map((event) => {
    const until = event.kind === "run.started" ? event.ts - 1 : event.ts;
    return [event.project as string, ruleKey(event), until] as const;
  });
  const before = await startedBefore(session, times);
  const runs = new Map([...before, ...starts.map(startedBy)].map((run) => [run.id, run]));
  await deriveAndSave(session, [...runs.values()]);
}

/** The run that a `run.started` without a `run_id` begins. */
const startedBy = (event: EventRow): EventsOfRun => {
  const { actor, issue, pr, ts } = event;
  return {
    id: derivedRunId(event),
    project: event.project as string,
    rule_key: ruleKey(event),
    actor,
    issue,
    pr,
    started_at: ts,
    last_event_at: ts,
  };
};
