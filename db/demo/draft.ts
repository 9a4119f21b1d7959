/**
 * Events before they have their numbers: issues, pull requests and runs are counted in the order in which
 * they begin.
 */

import type { Micros } from "../../src/lib/time.ts";
import type { Appendable } from "../../src/rows.ts";

/** Issues and pull requests of a project share one count, as at the source host. */
export interface Numbered {
  count: string;
  number: number;
}

export interface Draft {
  at: Micros;
  /** What begins with this event. */
  begins?: Numbered;
  /** What it says, once everything before it has its number. */
  event(): Omit<Appendable, "ts">;
}

export type Dated = Appendable & { ts: Micros };

/** The drafts between two moments as events, oldest first. `counts` holds the last number of each count. */
export function inOrder(drafts: Draft[], counts: Map<string, number>, from: Micros, to: Micros): Dated[] {
  const happened = drafts.filter(({ at }) => at >= from && at < to).sort((a, b) => a.at - b.at);
  return happened.map(({ at, begins, event }) => {
    if (begins) {
      begins.number = (counts.get(begins.count) ?? 0) + 1;
      counts.set(begins.count, begins.number);
    }
    return { ...event(), ts: at };
  });
}
