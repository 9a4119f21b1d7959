/** A manual clock. */
import { type Micros, toMicros } from "../../src/core/lib/time.ts";

export interface Clock {
  now(): Micros;
  set(text: string): void;
  advance(micros: Micros): void;
}

/** A clock that moves only when the test sets or advances it. */
export function testClock(text = "2026-03-01T12:00:00Z"): Clock {
  let at = toMicros(text);
  return {
    now: () => at,
    set: (text) => void (at = toMicros(text)),
    advance: (micros) => void (at += micros),
  };
}
