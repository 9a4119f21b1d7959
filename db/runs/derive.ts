/** Derives runs from their stored events: for events imported into the past, and for `svc doctor`. */
import type { EventRow } from "../../src/feed/schema.ts";
import type { Micros } from "../../src/lib/time.ts";
import { emptyRun, foldEvent, type RunState } from "../../src/runs/fold.ts";
import { derivedRunId, derivedRunMicros, endKinds, ruleKey } from "../../src/runs/rule.ts";
import type { Session } from "../engine/session.ts";
import { type EventsOfRun, readEventsOf } from "./events-of.ts";
import { derivedBefore, saveRuns } from "./states.ts";

/** Returns the state of a run by its events, up to `until`; null when it has none. */
export async function deriveRun(
  session: Session,
  run: EventsOfRun,
  until = Number.POSITIVE_INFINITY,
): Promise<RunState | null> {
  let state: RunState | null = null;
  const reach = run.rule_key === null ? run : { ...run, last_event_at: run.started_at + derivedRunMicros };
  for await (const event of readEventsOf(session, reach)) {
    if (event.ts > until) break;
    const isStart = event.kind === "run.started";
    if (run.rule_key !== null && (state ? isStart : !isStart)) break;
    state ??= emptyRun(run.id, run.rule_key, event);
    foldEvent(state, event);
    if (run.rule_key !== null && endKinds.has(event.kind)) break;
  }
  return state;
}

/** Derives pipelines that begin, with the jobs that were stored before. @param begun an event of each */
export async function derivePipelines(
  session: Session,
  begun: readonly EventRow[],
  until?: Micros,
): Promise<void> {
  for (const event of begun) {
    const state = await deriveRun(session, namedRunOf(event), until);
    if (state) await saveRuns(session, [{ state, listed: null }]);
  }
}

const namedRunOf = ({ run_id, project, actor, issue, pr, ts }: EventRow): EventsOfRun => ({
  ...{ id: run_id as string, project: project as string, rule_key: null },
  ...{ actor, issue, pr, started_at: ts, last_event_at: ts },
});

/**
 * Derives again the runs that events without a `run_id` change when they are added to the past: those that
 * they start, and the one before each. A run spans a day at most, which bounds what is read.
 * @param events all of one project, actor and task
 */
export async function deriveAround(session: Session, events: readonly EventRow[]): Promise<void> {
  const done = new Set<string>();
  const derive = async (run: EventsOfRun | null) => {
    if (!run || done.has(run.id)) return;
    done.add(run.id);
    const state = await deriveRun(session, run);
    if (state) await saveRuns(session, [{ state, listed: null }]);
  };
  for (const event of events) if (event.kind === "run.started") await derive(startedBy(event));
  for (const event of events) {
    const until: Micros = event.kind === "run.started" ? event.ts - 1 : event.ts;
    await derive(await derivedBefore(session, event.project as string, ruleKey(event), until));
  }
}

/** The run that a `run.started` without a `run_id` begins. */
const startedBy = (event: EventRow): EventsOfRun => {
  const { actor, issue, pr, ts } = event;
  return {
    ...{ id: derivedRunId(event), project: event.project as string, rule_key: ruleKey(event) },
    ...{ actor, issue, pr, started_at: ts, last_event_at: ts },
  };
};
