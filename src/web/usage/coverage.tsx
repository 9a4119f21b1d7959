/** How much of two ranges that are compared has data: the change against an almost empty one says little. */
import type { UsageRange } from "../../feed/rows.ts";
import { periodsOf } from "../../feed/usage/ranges.ts";
import type { Interval, UsageReportRow } from "../../feed/usage/schema.ts";
import { formatDays, pluralize } from "../format.ts";

/** The number of periods with data. */
export const dataOf = (rows: readonly UsageReportRow[]): number =>
  new Set(
    rows.filter((row) => row.runs > 0 || row.cost_equiv > 0 || row.tokens_in > 0).map(({ start }) => start),
  ).size;

/** Whether a change in percent would mostly tell when reports began. */
export const isMuchLess = (before: number, now: number): boolean => before * 2 < now;

type Part = readonly [range: UsageRange, rows: readonly UsageReportRow[]];

export function Coverage({ now, before, interval }: { now: Part; before: Part; interval: Interval }) {
  const [range, rows] = before;
  const isSparse = isMuchLess(dataOf(rows), dataOf(now[1]));
  const part = ([range, rows]: Part) =>
    `${dataOf(rows)} of ${pluralize(periodsOf(range, interval).length, interval)}`;
  return (
    <p class={isSparse ? "notice warning" : "soft"}>
      Compared with {formatDays(range)}: {`${part(before)} there have data, ${part(now)} here. `}
      {isSparse && "That is too little for changes in percent, so the values before are shown."}
    </p>
  );
}
