/**
 * Times that are known before they are assigned. An append expects a time for its first event, and folds its
 * runs with it. If other processes were faster, the database shifts that time, and all that come from it, to
 * later ones. The fold gives the same runs as long as no other time that it compares, and no end of a minute,
 * lies between. So the window ends at the first of those: within it, each time is one of this append.
 */
import { type Micros, minuteMicros } from "../../../src/core/lib/time.ts";
import type { Appendable } from "../../../src/feed/rows.ts";
import type { RunEvent, RunState } from "../../../src/feed/runs/fold.ts";
import type { RunPayload } from "../../../src/feed/runs/payload.ts";
import { startOfMinute } from "../../../src/feed/runs/position.ts";
import { derivedRunMicros } from "../../../src/feed/runs/rule.ts";
import type { KnownRun } from "../runs/run-cache.ts";

/** From the expected time of the first event on; `end` is beyond it. */
export interface TimeWindow {
  start: Micros;
  end: Micros;
}

/** The columns of a run that hold times; `marks` holds more. */
export const timeColumns = ["started_at", "ended_at", "last_event_at", "listed_at", "waiting_since"] as const;

/** @param runs before the append */
export function windowFrom(
  start: Micros,
  runs: Iterable<KnownRun | null>,
  events: readonly RunEvent[],
  sent: readonly Appendable[],
): TimeWindow {
  let end = startOfMinute(start) + minuteMicros;
  const exclude = (time: number | null) => {
    if (time !== null && time >= start && time < end) end = time;
  };
  for (const run of runs) {
    if (!run) continue;
    const { state } = run;
    for (const name of timeColumns) exclude(state[name]);
    for (const mark of Object.values(state.marks).flat()) if (typeof mark === "number") exclude(mark);
    exclude(state.started_at + derivedRunMicros + 1); // from then on it takes no events
  }
  for (const [index, { at, ts, run_id }] of events.entries())
    if (at !== ts || (run_id !== null && hasTime(sent[index]?.payload))) exclude(at);
  return { start, end };
}

/** Whether the sender named a time, if only the one that is expected anyway. */
const hasTime = (payload: unknown): boolean => (payload as RunPayload | undefined)?.ts !== undefined;

/** Narrows the window to the expected times when the duration of a run is measured from another time. */
export function narrowForDurations(
  window: TimeWindow,
  count: number,
  changed: readonly KnownRun[],
): TimeWindow {
  const isMeasured = changed.some(
    ({ state: { started_at, ended_at, marks } }) =>
      ended_at !== null &&
      marks.reported === undefined &&
      isWithin(window, ended_at) !== isWithin(window, started_at),
  );
  return isMeasured ? { ...window, end: Math.min(window.end, window.start + count) } : window;
}

const isWithin = ({ start, end }: TimeWindow, time: number): boolean => time >= start && time < end;

/** Shifts the times of this append in the state of a run, as the database did. */
export function shiftTimes(state: RunState, window: TimeWindow, by: Micros): void {
  const shifted = <T>(value: T): T =>
    typeof value === "number" && isWithin(window, value) ? ((value + by) as T) : value;
  for (const name of timeColumns) Object.assign(state, { [name]: shifted(state[name]) });
  const marks: Record<string, unknown> = { ...state.marks };
  for (const [name, mark] of Object.entries(marks))
    marks[name] = Array.isArray(mark) ? mark.map(shifted) : shifted(mark);
  state.marks = marks;
}
