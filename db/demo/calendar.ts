/** The 30 days that end now, with the working hours of the demo team (UTC). */
import { dayMicros, type Micros, secondMicros } from "../../src/core/lib/time.ts";
import type { Random } from "./random.ts";

export const minute = 60 * secondMicros;
export const hour = 60 * minute;

const days = 30;
const workStart = 7 * hour;
const workEnd = 16.5 * hour;

export interface Calendar {
  /** Start of the first working day. */
  start: Micros;
  now: Micros;
  /** Starts of the days (UTC), oldest first. */
  days: Micros[];
  /** The time at which this fraction of the month's working time has passed. */
  moment(part: number): Micros;
  /** The same time within working hours, else shortly after the next working day starts. */
  atWork(at: Micros): Micros;
}

export function workCalendar(now: Micros, random: Random): Calendar {
  const today = now - (now % dayMicros);
  const all = Array.from({ length: days + 1 }, (_, back) => today - (days - back) * dayMicros);
  const working = all.filter((day) => isWorkday(day) && day + workStart < now);
  return {
    start: (working[0] as Micros) + workStart,
    now,
    days: all,
    moment(part) {
      const at = part * working.length;
      const day = working[Math.min(Math.floor(at), working.length - 1)] as Micros;
      return Math.floor(day + workStart + (at % 1) * (workEnd - workStart));
    },
    atWork(at) {
      let day = at - (at % dayMicros);
      if (isWorkday(day) && at >= day + workStart && at <= day + workEnd) return at;
      if (at > day + workEnd) day += dayMicros;
      while (!isWorkday(day)) day += dayMicros;
      return (
        day + workStart + random.between(0, 90 * 60) * secondMicros + random.between(0, secondMicros - 1)
      );
    },
  };
}

/** 0 is Sunday. */
export const weekday = (day: Micros): number => (Math.floor(day / dayMicros) + 4) % 7;

const isWorkday = (day: Micros): boolean => weekday(day) % 6 !== 0;
