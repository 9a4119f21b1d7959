/** @jsxImportSource preact */
/**
 * The axes of a chart. Positions are percentages, so that a chart has any width and its text keeps its shape;
 * the table below the chart has the values for screen readers.
 */
import type { Interval } from "../../feed/usage/schema.ts";
import { periodLabels, tickLabels } from "./axis.ts";

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
