/** Cost and tokens over time, by group, beside the totals of the range compared with. */
import type { UsageRange } from "../../feed/rows.ts";
import { addDays, nextStart, periodsOf } from "../../feed/usage/ranges.ts";
import type { Interval, UsageReport, UsageReportRow } from "../../feed/usage/schema.ts";
import { BarChart } from "../charts/charts.tsx";
import { formatCost, formatCount, formatDays } from "../format.ts";
import { type GroupNames, groupName } from "./groups.tsx";
import type { Series } from "./usage.tsx";

interface ChartsProps {
  /** With an interval: rows of the most expensive groups, and of the rest. */
  report: UsageReport;
  compared: UsageReport["compared"];
  /** Rows of the range compared with, of any groups. */
  before: UsageReportRow[] | null;
  /** Where a bar leads, by the first and the last day of its period. */
  hrefOf(range: UsageRange): string;
  names: Pick<GroupNames, "people">;
}

const restName = "other";

type Value = (row: UsageReportRow) => number;

export function UsageCharts({ report, compared, before, hrefOf, names }: ChartsProps) {
  const interval = report.interval ?? "day";
  const starts = periodsOf(report, interval);
  const chart = (title: string, value: Value, show: (value: number) => string) => (
    <BarChart
      title={title}
      interval={interval}
      show={show}
      days={starts}
      hrefOf={(start) => hrefOf(periodFrom(start, interval, report.to))}
      series={seriesOf(report, starts, value, names)}
      compared={compared && before ? comparedSeries(compared, before, interval, value) : undefined}
    />
  );
  return (
    <div class="charts">
      {chart("Cost", (row) => row.cost_equiv, formatCost)}
      {chart("Tokens", (row) => row.tokens_in + row.tokens_out, formatCount)}
    </div>
  );
}

/** The days of a period, which may end after the range. */
function periodFrom(start: string, interval: Interval, last: string): UsageRange {
  const end = addDays(nextStart(start, interval), -1);
  return { from: start, to: end < last ? end : last };
}

/**
 * One series for each group, and one for the rest. Sorted by cost whatever value is charted, so that a group
 * has the same color in both charts.
 */
function seriesOf(
  { rows, by }: UsageReport,
  starts: string[],
  value: Value,
  names: ChartsProps["names"],
): Series[] {
  const groups = Map.groupBy(rows, (row) => (row.rest ? restName : groupName(row, by, names)));
  const cost = (rows: UsageReportRow[]) => rows.reduce((sum, row) => sum + row.cost_equiv, 0);
  return [...groups]
    .filter(([, rows]) => rows.some((row) => row.cost_equiv > 0 || row.tokens_in + row.tokens_out > 0))
    .sort(
      ([a, left], [b, right]) =>
        Number(a === restName) - Number(b === restName) || cost(right) - cost(left) || (a < b ? -1 : 1),
    )
    .map(([name, rows]) => ({ name, values: valuesOf(rows, starts, value) }));
}

function valuesOf(rows: UsageReportRow[], starts: string[], value: Value): number[] {
  const sums = new Map<string | null, number>();
  for (const row of rows) sums.set(row.start, (sums.get(row.start) ?? 0) + value(row));
  return starts.map((start) => sums.get(start) ?? 0);
}

/** The totals of the second range, its first period beside the first period of the chart. */
function comparedSeries(
  range: NonNullable<UsageReport["compared"]>,
  rows: UsageReportRow[],
  interval: Interval,
  value: Value,
): Series {
  return {
    name: formatDays(range),
    values: valuesOf(rows, periodsOf(range, interval), value),
  };
}
