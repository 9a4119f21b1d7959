/** `svc usage`: what work took, by group and period. */
import { defineCommand } from "citty";
import { rowsToCsv } from "../../../src/core/lib/csv.ts";
import { escapeControls } from "../../../src/core/lib/strings/display-text.ts";
import {
  intervals,
  type UsageGroup,
  UsageReportQuery,
  UsageReportRow,
  usageGroups,
} from "../../../src/feed/usage/schema.ts";
import { RejectedUsageQuery, RejectedVersion } from "../../../src/overview/usage/rejected-schema.ts";
import { apiFlags, withApi } from "../../api.ts";
import { type Schemas, unwrap } from "../../client/client.ts";
import { checkFlags, printLine } from "../../command.ts";
import { UsageError } from "../../command-errors.ts";
import { note } from "../../output/report.ts";
import { fittedTable, formatCount, plural } from "../../output/table.ts";

type Row = Schemas["UsageReportRow"];

export default defineCommand({
  args: {
    // Not --by, which names an actor in every other command.
    group: { type: "string", description: `Group by ${usageGroups.join(", ")} (default: project)` },
    from: { type: "string", description: "First UTC day (default: 29 days before --to)", valueHint: "day" },
    to: { type: "string", description: "Last UTC day, included (default: today)", valueHint: "day" },
    interval: { type: "string", description: `Split by ${intervals.join(", ")}` },
    project: { type: "string", description: "Only this project" },
    team: { type: "string", description: "Only this team; by project, team, person, or run" },
    person: { type: "string", description: "Only this person; by project, team, person, or run" },
    "compare-from": { type: "string", description: "First day of a range to compare with", valueHint: "day" },
    "compare-to": { type: "string", description: "Last day of that range", valueHint: "day" },
    limit: { type: "string", description: "Most groups, 1 to 200 (default: 50)" },
    rejected: { type: "boolean", description: "Show what was spent on rejected versions" },
    csv: { type: "boolean", description: "Print CSV" },
    ...apiFlags,
  },
  async run({ args }) {
    if (args.csv && args.json) throw new UsageError("--csv and --json cannot be used together.");
    if (args.rejected) return printRejected(args);
    if (args.group !== undefined && !usageGroups.includes(args.group as UsageGroup))
      throw new UsageError(`--group must be one of ${usageGroups.join(", ")}.`);
    const query = checkFlags(UsageReportQuery, { ...args, by: args.group });
    const report = await withApi(args, ({ api }) => unwrap(api.GET("/usage", { params: { query } })));
    if (args.json) return printLine(JSON.stringify(report));
    if (args.csv) return printLine(rowsToCsv(UsageReportRow, report.rows).trimEnd());
    if (report.rows.length > 0) await printLine(reportTable(report));
    const { from, to, total, cost_per_merge, unattributed } = report;
    const parts = [
      cost(total),
      ...(unattributed && hasTokensOrCost(unattributed) ? [`${cost(unattributed)} unattributed`] : []),
      runs(total),
      ...(cost_per_merge === null ? [] : [`$${cost_per_merge.toFixed(2)} per merged pull request`]),
    ];
    note(args, `${from} to ${to}: ${parts.join(", ")}.`);
  },
});

const cost = ({ cost_equiv }: Pick<Row, "cost_equiv">): string => `$${cost_equiv.toFixed(2)}`;
const tokens = ({ tokens_in, tokens_out }: Pick<Row, "tokens_in" | "tokens_out">): string =>
  formatCount(tokens_in + tokens_out);
const hasTokensOrCost = ({ cost_equiv, tokens_in, tokens_out }: Schemas["UsageSums"]): boolean =>
  cost_equiv + tokens_in + tokens_out > 0;
const runs = (sums: Pick<Row, "runs" | "failures">): string =>
  `${plural(sums.runs, "run")}, ${sums.failures} failed`;

function reportTable({ by, interval, compared, rows, more }: Schemas["UsageReport"]): string {
  const columns = [
    ...(interval ? [{ head: interval === "day" ? "DAY" : "FROM" }] : []),
    { head: by.toUpperCase(), flexible: true as const },
    { head: "COST" },
    ...(compared ? [{ head: "BEFORE" }] : []),
    { head: "TOKENS", rank: 1 },
    { head: "RUNS", rank: 2 },
    { head: "FAILED", rank: 3 },
    { head: "MERGED", rank: 4 },
    { head: "PER MERGE", rank: 5 },
  ];
  return fittedTable(
    columns,
    rows.map((row) => [
      ...(interval ? [row.start ?? ""] : []),
      row.rest ? restName(by, more) : escapeControls(nameOf(row, by)),
      cost(row),
      ...(compared ? [row.compared ? cost(row.compared) : ""] : []),
      tokens(row),
      ...[row.runs, row.failures, row.merges].map(formatCount),
      row.cost_per_merge === null ? "" : cost({ cost_equiv: row.cost_per_merge }),
    ]),
  );
}

const restName = (by: string, more: number): string =>
  by === "run" && more === 0 ? "other" : `and ${more} more`;

function nameOf({ project, model, lane, actor, run_id, team, person, ...task }: Row, by: string): string {
  if (by === "task") return `${project} ${taskName(task)}`;
  const names: Record<string, string | null> = { project, model, lane, actor, run: run_id, team, person };
  return names[by] ?? `no ${by}`;
}

const taskName = ({ issue, task, pr }: Pick<Row, "issue" | "pr"> & { task?: string | null }): string =>
  task != null ? task : issue !== null ? `#${issue}` : pr !== null ? `PR #${pr}` : "unattributed";

async function printRejected(args: Record<string, unknown> & Parameters<typeof withApi>[0]): Promise<void> {
  const only = ["group", "interval", "compare-from", "compare-to"].find((flag) => args[flag] !== undefined);
  if (only) throw new UsageError(`--rejected and --${only} cannot be used together.`);
  const query = checkFlags(RejectedUsageQuery, args);
  const report = await withApi(args, ({ api }) => unwrap(api.GET("/usage/rejected", { params: { query } })));
  if (args.json) return printLine(JSON.stringify(report));
  if (args.csv) return printLine(rowsToCsv(RejectedVersion, report.rows).trimEnd());
  const { rows, total, more } = report;
  const columns = [
    { head: "VERSION", flexible: true as const },
    { head: "TASK", rank: 2 },
    { head: "REJECTED", rank: 3 },
    { head: "COST" },
    { head: "TOKENS", rank: 1 },
  ];
  const lines = rows.map((row) => [
    `${escapeControls(row.title)}, version ${row.version}`,
    `${row.project} ${taskName(row)}`,
    row.rejected_at.slice(0, 10),
    cost(row),
    tokens(row),
  ]);
  if (lines.length > 0) await printLine(fittedTable(columns, lines));
  const others = more > 0 ? ` (${more} not listed)` : "";
  note(
    { quiet: args.quiet === true },
    `${plural(total.versions, "rejected version")}${others}: ${cost(total)}, ${plural(total.runs, "run")}.`,
  );
}
