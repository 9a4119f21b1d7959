/**
 * Where a run is in lists: at the newest start or end in the minute of its newest event or, without one, at
 * the first event of that minute. A list is thus in the order of the newest events, to the minute, and most
 * steps leave the position as it is, and with it the indexes of lists, which otherwise cost an append more
 * than the row itself.
 */

import { type Micros, minuteMicros } from "../../core/lib/time.ts";
import type { EventRow } from "../schema.ts";
import { endKinds } from "./rule.ts";

/** No run with an event at this time is listed before this. */
export const startOfMinute = (ts: Micros): Micros => Math.floor(ts / minuteMicros) * minuteMicros;

interface Positioned {
  listed_at: Micros;
  /** `listed`: whether `listed_at` is a start or an end. */
  marks: { listed?: boolean };
}

/** Moves a run as an event of it demands, in whatever order they come. */
export function foldPosition(run: Positioned, { kind, ts }: Pick<EventRow, "kind" | "ts">): void {
  const { marks } = run;
  const later = startOfMinute(ts) - startOfMinute(run.listed_at);
  if (later < 0) return;
  const isStartOrEnd = kind === "run.started" || endKinds.has(kind);
  if (later === 0 && marks.listed && !(isStartOrEnd && ts > run.listed_at)) return;
  if (isStartOrEnd) marks.listed = true;
  else if (later > 0) delete marks.listed;
  else if (ts >= run.listed_at) return;
  run.listed_at = ts;
}
