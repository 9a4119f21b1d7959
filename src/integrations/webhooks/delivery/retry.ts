/** When a message that failed is sent again. */
import { dayMicros, type Micros, minuteMicros, secondMicros } from "../../../core/lib/time.ts";

const hourMicros = 60 * minuteMicros;
/** The waits after the first failed attempts; `lastWait` follows. */
const waits = [
  ...[5 * secondMicros, 30 * secondMicros, 2 * minuteMicros, 10 * minuteMicros, 30 * minuteMicros],
  hourMicros,
];
const lastWait = 2 * hourMicros;
/** Waits are up to this much longer, so that receivers that failed together are not retried together. */
const jitter = 0.1;
/** A receiver cannot ask for a longer wait than this. */
const retryAfterMax = dayMicros;
/** A webhook is paused when a message has failed for this long. */
export const giveUpAfter = 3 * dayMicros;

/**
 * The wait before the next attempt.
 * @param attempts failed so far, at least one
 * @param retryAfterMs what the receiver asked for
 * @param random from 0 to 1
 */
export function retryDelay(attempts: number, retryAfterMs: number | null, random: number): Micros {
  const wait = (waits[attempts - 1] ?? lastWait) * (1 + jitter * random);
  return Math.round(Math.max(wait, Math.min((retryAfterMs ?? 0) * 1000, retryAfterMax)));
}
