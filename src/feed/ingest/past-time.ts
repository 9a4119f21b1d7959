/** The times that an event of the past can have. */
import { type Micros, secondMicros, toMicros } from "../../core/lib/time.ts";

/** How far ahead the clock of the sender may be. */
const clockSkewMicros = 5 * 60 * secondMicros;

/**
 * Before 1970, nothing told these times. Centuries before it, microseconds exceed the integers of JavaScript,
 * in which no next free time is found.
 * @returns what is wrong with the time, or null
 */
export function pastTimeFault(time: string, now: Micros): string | null {
  const at = toMicros(time);
  if (at > now + clockSkewMicros) return "is more than five minutes in the future";
  return at < 0 ? "is before 1970" : null;
}
