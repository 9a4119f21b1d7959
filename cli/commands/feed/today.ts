/** `svc today`: what waits for you, and what happened since you last looked. */

import { defineCommand } from "citty";
import { escapeControls } from "../../../src/core/lib/strings/display-text.ts";
import { taskNames } from "../../../src/core/task-key.ts";
import { type Group, groupNames, groups } from "../../../src/overview/inbox/schema.ts";
import { apiFlags, withApi } from "../../api.ts";
import { type Schemas, unwrap } from "../../client/client.ts";
import { printLine } from "../../command.ts";
import { note } from "../../output/report.ts";
import { type Column, fittedTable, formatAge } from "../../output/table.ts";
import { terminalWidth } from "../../output/terminal.ts";

type Today = Schemas["Today"];

export default defineCommand({
  args: {
    "mark-read": { type: "boolean", description: "Mark everything as read: next time starts here" },
    ...apiFlags,
  },
  run: async ({ args }) =>
    withApi(args, async ({ api }) => {
      const today = await unwrap(api.GET("/today"));
      await printLine(args.json ? JSON.stringify(today) : todayText(today, Date.now()));
      if (!args["mark-read"]) return;
      await unwrap(api.POST("/today/read", { body: { until: today.until } }));
      note(args, "Marked everything as read.");
    }),
});

const columns: Column[] = [
  { head: "PROJECT" },
  { head: "ACTOR", rank: 2 },
  { head: "ISSUE", rank: 3 },
  { head: "WHEN", rank: 1 },
  { head: "SUMMARY", flexible: true },
];
const neededColumns: Column[] = [
  { head: "PROJECT" },
  { head: "NEXT", rank: 2 },
  { head: "WHEN", rank: 1 },
  { head: "WHAT", flexible: true },
];

export function todayText(today: Today, nowMs: number): string {
  const { since, needs, running, happened, decisions, spend } = today;
  const ofRuns = (runs: Schemas["Run"][]) => runs.map((run) => rowOf(run, run.last_event_at, nowMs));
  return [
    `Since ${since.slice(0, 16).replace("T", " ")} UTC`,
    heading("Needs you", needs.count),
    ...groupNames.map((name) => neededSection(needs, name, nowMs)),
    listed("In flight", running.count, ofRuns(running.runs)),
    listed(
      "What happened",
      happened.count,
      happened.tasks.map((task) => happenedRow(task, nowMs)),
    ),
    decisions &&
      listed(
        "New decisions",
        decisions.count,
        decisions.decisions.map((decision) => decisionRow(decision, nowMs)),
      ),
    `Spend: $${spend.today.toFixed(2)} today, $${spend.usual.toFixed(2)} on the median of the 14 days before`,
  ]
    .filter((part) => part !== null)
    .join("\n\n");
}

const heading = (title: string, count: number, more = ""): string =>
  `${title} (${count >= 100 ? "99+" : count}${more})`;

const listed = (title: string, count: number, rows: string[][]): string | null =>
  section(heading(title, count, count > rows.length ? `, ${rows.length} shown` : ""), columns, rows);

/** @returns null without rows */
function section(title: string, columns: Column[], rows: string[][]): string | null {
  if (rows.length === 0) return null;
  const indent = "  ";
  const table = fittedTable(columns, rows, terminalWidth() - indent.length);
  return `${title}\n${table.replace(/^/gm, indent)}`;
}

const text = (value: string | null | undefined): string => escapeControls(value ?? "–").replaceAll("\n", " ");

type Row = Pick<Schemas["Run"], "project" | "actor" | "issue" | "summary"> & { task?: string | null };
const rowOf = ({ project, actor, summary, ...of }: Row, ts: string, nowMs: number) => [
  ...[text(project), text(actor), taskNames(of)[0] ?? "–"],
  ...[formatAge(Math.max(0, nowMs - Date.parse(ts))), text(summary)],
];

const happenedRow = ({ project, issue, task, pr, title, text: outcome, at }: HappenedTask, nowMs: number) =>
  rowOf({ project, actor: "–", issue: issue ?? pr, task, summary: `${title}: ${outcome}` }, at, nowMs);

type HappenedTask = Today["happened"]["tasks"][number];
type Decision = NonNullable<Today["decisions"]>["decisions"][number];
const decisionRow = ({ project, actor, valid_from, text: summary }: Decision, nowMs: number) =>
  rowOf({ project, actor, issue: null, summary }, valid_from, nowMs);

function neededSection({ items, counts }: Today["needs"], name: Group, nowMs: number): string | null {
  const rows = items
    .filter(({ group }) => group === name)
    .map(({ project, action, at, title, detail }) => [
      ...[text(project), action, formatAge(Math.max(0, nowMs - Date.parse(at)))],
      text(detail === null ? title : `${title}: ${detail}`),
    ]);
  return section(heading(groups[name], counts[name]), neededColumns, rows);
}
