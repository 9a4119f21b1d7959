/** Round ticks of a value axis, and the labels of a time axis. */
import type { Interval } from "../../feed/usage/schema.ts";

/** Steps that people count in. */
const roundSteps = [1, 2, 5, 10];
const intervalsMax = 5;
const labelsMax = 7;

/** Ticks from 0 up to the first one that is not below `most`, at most six. */
export function ticksUpTo(most: number): number[] {
  const unit = 10 ** Math.floor(Math.log10(most / intervalsMax));
  const step = unit * (roundSteps.find((round) => round * unit * intervalsMax >= most) ?? 10);
  const count = Math.ceil(most / step);
  // Without the noise of multiplying fractions, such as 0.30000000000000004.
  return Array.from({ length: count + 1 }, (_, at) => Number((at * step).toPrecision(12)));
}

/** The labels of ticks: without cents if no tick has any. */
export function tickLabels(ticks: number[], show: (value: number) => string): string[] {
  const hasWhole = ticks.every(Number.isInteger);
  return ticks.map((tick) => (hasWhole ? show(tick).replace(/\.00$/, "") : show(tick)));
}

export interface PeriodLabel {
  /** The index of its period. */
  at: number;
  text: string;
  /** Left out on a narrow screen. */
  isMinor: boolean;
}

/** Labels for a few periods: Mondays, first days of months, or every so many. */
export function periodLabels(starts: string[], interval: Interval): PeriodLabel[] {
  const round = starts.flatMap((start, at) => (isRound(start, interval, starts.length) ? [at] : []));
  const every = Math.ceil(round.length / labelsMax);
  const labeled = round.filter((_, index) => index % every === 0);
  const name = labelFormat(starts, interval);
  return labeled.map((at, index) => ({
    at,
    text: name(starts[at] as string),
    isMinor: labeled.length > 4 && index % 2 === 1,
  }));
}

/** Days that a reader looks for: each of up to ten, the Mondays of two months, else the first of a month. */
function isRound(start: string, interval: Interval, count: number): boolean {
  if (interval !== "day" || count <= 10) return true;
  return count <= 62 ? new Date(`${start}T00:00:00Z`).getUTCDay() === 1 : start.endsWith("-01");
}

const format = (options: Intl.DateTimeFormatOptions) => {
  const formatter = new Intl.DateTimeFormat("en-GB", { ...options, timeZone: "UTC" });
  return (day: string) => formatter.format(new Date(`${day}T00:00:00Z`));
};
const [ofDay, ofMonth, ofYearMonth] = [
  format({ day: "numeric", month: "short" }),
  format({ month: "short" }),
  format({ month: "short", year: "numeric" }),
];

/** 2 Nov, or Nov; with the year where the months of several years would look alike. */
function labelFormat(starts: string[], interval: Interval): (day: string) => string {
  const hasOneYear = starts[0]?.slice(0, 4) === starts.at(-1)?.slice(0, 4);
  if (interval === "month") return hasOneYear ? ofMonth : ofYearMonth;
  return hasOneYear || starts.length <= 62 ? ofDay : ofYearMonth;
}
