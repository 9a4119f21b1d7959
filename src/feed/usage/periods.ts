/** UTC days, and the periods that they are in. */
import { dayMicros, type Micros } from "../../core/lib/time.ts";
import type { Interval } from "./schema.ts";

const dayMs = 86_400_000;

/** When a day begins, in milliseconds since 1970. */
export const timeOf = (day: string): number => Date.parse(`${day}T00:00:00Z`);

/** The day `days` later; earlier if negative. */
export const addDays = (day: string, days: number): string =>
  new Date(timeOf(day) + days * dayMs).toISOString().slice(0, 10);

/** How many days a range has. */
export const daysIn = ({ from, to }: { from: string; to: string }): number =>
  (timeOf(to) - timeOf(from)) / dayMs + 1;

/** The first day of the period that a day is in. A week starts on Monday (ISO 8601). */
export function startOf(day: string, interval: Interval): string {
  if (interval === "month") return `${day.slice(0, 8)}01`;
  return interval === "day" ? day : addDays(day, -((new Date(timeOf(day)).getUTCDay() + 6) % 7));
}

/** The first day of the next period. */
export const nextStart = (start: string, interval: Interval): string =>
  interval === "month" ? `${addDays(start, 31).slice(0, 8)}01` : addDays(start, interval === "week" ? 7 : 1);

/** How much of a UTC day is over at a time in it, from 0 to 1. */
export const shareOfDay = (at: Micros): number => (((at % dayMicros) + dayMicros) % dayMicros) / dayMicros;
