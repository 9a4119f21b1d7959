/** Usage of projects: totals, chart series, and the CSV export. */
import type { ComponentChildren } from "preact";
import type { Context } from "../../api/context.ts";
import { csvHeaders, rowsToCsv } from "../../core/lib/csv.ts";
import { getUsage } from "../../feed/operations/projects.ts";
import { Usage, type UsageList } from "../../feed/projects/schema.ts";
import { Icon } from "../icons/icons.tsx";
import { callOperation, type View } from "../view.ts";

export interface Series {
  name: string;
  /** One value per day. */
  values: number[];
}

interface FactProps {
  name: string;
  value: ComponentChildren;
  isBad?: boolean;
  /** Where its rows are listed. */
  href?: string | undefined;
}

export const Fact = ({ name, value, isBad = false, href }: FactProps) => (
  <div>
    <dt>{name}</dt>
    <dd class={isBad ? "bad" : undefined}>
      {isBad && <Icon name="cross" />} {href ? <a href={href}>{value}</a> : value}
    </dd>
  </div>
);

export function totalsOf(usage: Usage[]) {
  const sum = (field: "runs" | "failures" | "merges" | "cost_equiv" | "tokens_in" | "tokens_out") =>
    usage.reduce((all, row) => all + row[field], 0);
  return {
    runs: sum("runs"),
    failures: sum("failures"),
    merges: sum("merges"),
    spent: sum("cost_equiv"),
    tokens: sum("tokens_in") + sum("tokens_out"),
  };
}

/** The last 30 days up to today as `YYYY-MM-DD` in UTC, the range that the operation returns. */
export const lastDays = ({ now }: Pick<Context, "now">, count = 30): string[] =>
  Array.from({ length: count }, (_, at) =>
    new Date(now() / 1000 - (count - 1 - at) * 86_400_000).toISOString().slice(0, 10),
  );

const seriesMax = 4;

/** What charts of a project are broken down by, in words. */
export const dimensions = { model: "model", lane: "workstream" } as const;

/**
 * The most expensive groups by name, the rest summed as "other". Sorted by cost whatever value is charted, so
 * that a group has the same color in every chart.
 */
export function seriesOf(
  usage: Usage[],
  days: string[],
  by: "model" | "lane",
  value: (row: Usage) => number,
): Series[] {
  const groups = [...Map.groupBy(usage, (row) => row[by] ?? `no ${dimensions[by]}`)]
    .map(([name, rows]) => ({ name, rows, ...totalsOf(rows) }))
    .filter(({ spent, tokens }) => spent > 0 || tokens > 0)
    .sort((a, b) => b.spent - a.spent || b.tokens - a.tokens || a.name.localeCompare(b.name))
    .map(({ name, rows }) => ({ name, rows }));
  const rest = groups.splice(seriesMax).flatMap((group) => group.rows);
  if (rest.length > 0) groups.push({ name: "other", rows: rest });
  return groups.map(({ name, rows }) => ({
    name,
    values: days.map((day) =>
      rows.filter((row) => row.day === day).reduce((sum, row) => sum + value(row), 0),
    ),
  }));
}

/** A project's usage as a CSV download. */
export async function usageCsv(view: View): Promise<Response> {
  const { usage } = await callOperation<UsageList>(view, getUsage, {
    slug: view.params.slug ?? "",
    since: view.url.searchParams.get("since"),
  });
  return new Response(rowsToCsv(Usage, usage), { headers: csvHeaders("usage.csv") });
}
