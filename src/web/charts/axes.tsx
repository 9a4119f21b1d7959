/**
 * The axes of a chart. Positions are percentages, so that a chart has any width and its text keeps its shape;
 * the table below the chart has the values for screen readers.
 */
import { shortMonthOf } from "../../core/lib/quantities.ts";
import type { Interval } from "../../feed/usage/schema.ts";

export const percent = (part: number): string => `${(part * 100).toFixed(2)}%`;

/** The names of the ticks, the highest first; evenly spaced, as the ticks are. */
export const ValueAxis = ({ ticks, show }: { ticks: number[]; show(value: number): string }) => (
  <div class="value-axis" aria-hidden="true">
    {tickLabels(ticks, show)
      .toReversed()
      .map((label) => (
        <span key={label}>{label}</span>
      ))}
  </div>
);

/** A line across the chart at each tick. */
export const GridLines = ({ ticks }: { ticks: number[] }) => (
  <g class="grid-lines">
    {ticks.map((tick, at) => {
      const y = percent(1 - at / (ticks.length - 1));
      return <line key={tick} x1="0" x2="100%" y1={y} y2={y} />;
    })}
  </g>
);

/** The names of some periods, each below its bar. */
export function PeriodAxis({ starts, interval }: { starts: string[]; interval: Interval }) {
  return (
    <svg class="period-axis" aria-hidden="true">
      {periodLabels(starts, interval).map(({ at, text, isMinor }) => {
        const middle = (at + 0.5) / starts.length;
        const anchor = middle < 0.05 ? "start" : middle > 0.95 ? "end" : "middle";
        const x = anchor === "start" ? at / starts.length : anchor === "end" ? 1 : middle;
        return (
          <text key={at} x={percent(x)} y="1em" text-anchor={anchor} class={isMinor ? "minor" : undefined}>
            {text}
          </text>
        );
      })}
    </svg>
  );
}

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

interface PeriodLabel {
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

const ofDay = (day: string): string => `${Number(day.slice(8, 10))} ${shortMonthOf(day)}`;
const ofYearMonth = (day: string): string => `${shortMonthOf(day)} ${day.slice(0, 4)}`;

/** 2 Nov, or Nov; with the year where the months of several years would look alike. */
function labelFormat(starts: string[], interval: Interval): (day: string) => string {
  const hasOneYear = starts[0]?.slice(0, 4) === starts.at(-1)?.slice(0, 4);
  if (interval === "month") return hasOneYear ? shortMonthOf : ofYearMonth;
  return hasOneYear || starts.length <= 62 ? ofDay : ofYearMonth;
}
