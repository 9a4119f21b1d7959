/** The periods of digests: a day or a week, which end at an hour of the day in UTC. */
import { dayMicros, type Micros, minuteMicros } from "../../core/lib/time.ts";
import type { DigestPeriod } from "./schema.ts";

const hourMicros = 60 * minuteMicros;
const lengths: Record<DigestPeriod, Micros> = { daily: dayMicros, weekly: 7 * dayMicros };
/** The epoch began on a Thursday, and a week of digests on Monday, four days later. */
const mondayMicros = 4 * dayMicros;

/** The first end of a period after `now`. */
export function nextEnd(period: DigestPeriod, hour: number, now: Micros): Micros {
  const length = lengths[period];
  const offset = hour * hourMicros + (period === "weekly" ? mondayMicros : 0);
  return (Math.floor((now - offset) / length) + 1) * length + offset;
}

/** The last end of a period, which may be `now`. */
export const lastEnd = (period: DigestPeriod, hour: number, now: Micros): Micros =>
  nextEnd(period, hour, now) - lengths[period];
