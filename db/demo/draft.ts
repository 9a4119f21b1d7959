/** Event drafts: issues, pull requests and runs get their numbers in the order in which they begin. */

import type { Micros } from "../../src/core/lib/time.ts";
import type { Appendable } from "../../src/feed/rows.ts";

/** An item of a numbered sequence. Issues and pull requests of a project share one, as on GitHub. */
export interface NumberedItem {
  sequence: string;
  number: number;
}

export interface EventDraft {
  at: Micros;
  /** The item that gets its number with this event. */
  begins?: NumberedItem;
  /** Renders the event, once all earlier items have their numbers. */
  event(): Omit<Appendable, "ts">;
}

export type TimedEvent = Appendable & { ts: Micros };

/** Renders the drafts between two times, oldest first. `counts` holds the last number of each sequence. */
export function numberEvents(
  drafts: EventDraft[],
  counts: Map<string, number>,
  from: Micros,
  to: Micros,
): TimedEvent[] {
  const happened = drafts.filter(({ at }) => at >= from && at < to).sort((a, b) => a.at - b.at);
  return happened.map(({ at, begins, event }) => {
    if (begins) {
      begins.number = (counts.get(begins.sequence) ?? 0) + 1;
      counts.set(begins.sequence, begins.number);
    }
    return { ...event(), ts: at };
  });
}
