/** Ranges of UTC days, and the periods that they are split into. */

import { dayMicros, dayOf, type Micros } from "../../core/lib/time.ts";
import { badRequest } from "../../core/problem.ts";
import type { FeedContext } from "../context.ts";
import type { UsageRange } from "../rows.ts";
import { type Interval, periodsMax, rangeDaysMax } from "./schema.ts";

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

const defaultDays = 30;

type Given = Partial<Record<"from" | "to", string | undefined>>;

/** The range of a query: the last 30 days by default. @throws 400 for one that is reversed or too long */
export function rangeOf({ from, to }: Given, { now }: Pick<FeedContext, "now">): UsageRange {
  const last = to ?? latestDay(from, dayOf(now()));
  return checkedRange({ from: from ?? addDays(last, 1 - defaultDays), to: last }, "from", "to");
}

/** Today; or the first day, if only that is given and it is in the future. */
const latestDay = (from: string | undefined, today: string): string =>
  from !== undefined && from > today ? from : today;

/** The second range of a comparison, as long as the first unless it has an end. @throws 400 */
export function comparedRange(
  { compare_from: from, compare_to: to }: Partial<Record<"compare_from" | "compare_to", string>>,
  range: UsageRange,
): UsageRange | null {
  if (from === undefined && to === undefined) return null;
  if (from === undefined) throw badRequest("compare_to needs compare_from: the first day to compare with.");
  const last = to ?? addDays(from, daysIn(range) - 1);
  return checkedRange({ from, to: last }, "compare_from", "compare_to");
}

/** Other years are typos, and some have no four digits. */
const years = { from: "1900-01-01", to: "2999-12-31" };

function checkedRange(range: UsageRange, from: string, to: string): UsageRange {
  if ([range.from, range.to].some((day) => day < years.from || day > years.to))
    throw badRequest(`${from} and ${to} must be days from ${years.from} to ${years.to}.`);
  if (range.from > range.to)
    throw badRequest(`${from} (${range.from}) must not be after ${to} (${range.to}). Swap them.`);
  if (daysIn(range) > rangeDaysMax)
    throw badRequest(
      `${from} to ${to} are ${daysIn(range)} days. A report has at most ${rangeDaysMax}: ` +
        "choose a shorter range.",
    );
  return range;
}

/** The first days of all periods of a range. @throws 400 if there are too many */
export function periodsOf(range: UsageRange, interval: Interval): string[] {
  const starts: string[] = [];
  for (let start = startOf(range.from, interval); start <= range.to; start = nextStart(start, interval))
    starts.push(start);
  if (starts.length > periodsMax)
    throw badRequest(
      `${daysIn(range)} days by ${interval} are ${starts.length} rows a group. The most is ${periodsMax}: ` +
        "choose a longer interval or a shorter range.",
    );
  return starts;
}

/** Splits a range into pieces of at most `days`. */
export function* piecesOf({ from, to }: UsageRange, days: number): Generator<UsageRange> {
  for (let first = from; first <= to; first = addDays(first, days)) {
    const last = addDays(first, days - 1);
    yield { from: first, to: last < to ? last : to };
  }
}
