/** The groups of a usage report, the most expensive first. */
import { actorName } from "../../core/auth/actor-name.ts";
import { isolateBidi } from "../../core/lib/strings/display-text.ts";
import type { FullNames } from "../../feed/filter-values.ts";
import type { UsageGroup, UsageReport, UsageReportRow } from "../../feed/usage/schema.ts";
import { keyOfWork, type WorkTitles } from "../../overview/usage/titles.ts";
import { Actor } from "../actor.tsx";
import { formatCost, formatCount, formatDays } from "../format.ts";
import { personName } from "../lists/owners.ts";
import { type Column, Table } from "../lists/table.tsx";
import { runUrl, type TaskOf, taskUrl } from "../runs/links.tsx";
import { urlWith, type View } from "../view.ts";
import { Change } from "./change.tsx";
import { csvLimit } from "./csv.ts";

/** The names of people, and the titles of tasks and runs. */
export interface GroupNames {
  people: FullNames;
  titles: WorkTitles;
}

/** What a row is called: a slug, a model, a workstream, an actor, a person, or a task such as `atlas #12`. */
export function groupName(row: UsageReportRow, by: UsageGroup, names: Pick<GroupNames, "people">): string {
  if (by === "task") return `${row.project} ${taskLabel(row)}`;
  const value = row[by === "run" ? "run_id" : by];
  if (value === null) return `no ${groupWord(by)}`;
  return isolateBidi(
    by === "actor" ? actorName(value) : by === "person" ? personName(value, names.people) : value,
  );
}

/** #12, PROJ-123, PR #40 */
export const taskLabel = ({ issue, task, pr }: TaskOf): string =>
  task != null ? task : issue !== null ? `#${issue}` : pr !== null ? `PR #${pr}` : "unattributed";

export const groupLabels: Record<UsageGroup, string> = {
  project: "Project",
  model: "Model",
  lane: "Workstream",
  actor: "Actor",
  task: "Task",
  run: "Run",
  team: "Team",
  person: "Person",
};

const groupWord = (by: UsageGroup): string => groupLabels[by].toLowerCase();

interface TableProps {
  report: UsageReport;
  view: View;
  names: GroupNames;
  /** Whether the range compared with has too little data for changes in percent. */
  isSparse: boolean;
}

export function GroupTable({ report, view, names, isSparse }: TableProps) {
  const { by, rows, compared } = report;
  return (
    <section aria-labelledby="by-group">
      <div class="head">
        <h2 id="by-group">By {groupWord(by)}</h2>
        <a class="button" href={`/usage.csv${csvQuery(view, report)}`} download>
          Download CSV
        </a>
        {compared && <p class="soft">Before: {formatDays(compared)}</p>}
      </div>
      <Table
        label={`Usage by ${groupWord(by)}`}
        class="numbers"
        columns={columnsOf({ report, view, names, isSparse })}
        rows={rows}
        keyOf={JSON.stringify}
      />
    </section>
  );
}

const columnsOf = ({ report, view, names, isSparse }: TableProps): Column<UsageReportRow>[] => [
  {
    label: groupLabels[report.by],
    isName: true,
    cell: (row) =>
      row.rest ? (
        restName(report.by, report.more)
      ) : (
        <GroupLink row={row} by={report.by} view={view} names={names} />
      ),
  },
  { label: "Cost", cell: (row) => formatCost(row.cost_equiv) },
  { label: "Share", class: "share", cell: (row) => shareOf(row, report.total.cost_equiv) },
  ...(report.compared ? comparedColumns(isSparse) : []),
  { label: "Tokens in", cell: (row) => formatCount(row.tokens_in) },
  { label: "Tokens out", cell: (row) => formatCount(row.tokens_out) },
  { label: "From cache", cell: (row) => formatCount(row.cache_read) },
  { label: "Runs", cell: (row) => formatCount(row.runs) },
  { label: "Failed", cell: (row) => formatCount(row.failures) },
  { label: "Merged", cell: (row) => formatCount(row.merges) },
  { label: "Per merge", cell: (row) => row.cost_per_merge !== null && formatCost(row.cost_per_merge) },
];

const shareOf = ({ cost_equiv }: UsageReportRow, total: number): string =>
  total > 0 ? `${Math.round((cost_equiv / total) * 100)}%` : "";

const comparedColumns = (isSparse: boolean): Column<UsageReportRow>[] => [
  { label: "Before", cell: ({ compared }) => compared && formatCost(compared.cost_equiv) },
  ...(isSparse ? [] : [changeColumn]),
];

const changeColumn: Column<UsageReportRow> = {
  label: "Change",
  cell: ({ cost_equiv, compared }) =>
    compared && <Change now={cost_equiv} before={compared.cost_equiv} show={formatCost} isSparse={false} />,
};

/** The rest of the runs has the work outside of runs too. */
function restName(by: UsageGroup, more: number): string {
  const others = `and ${more} more`;
  if (by !== "run") return others;
  return more > 0 ? `${others}, and work outside of runs` : "work outside of runs";
}

/** Of a link to one range: what belongs to the page's own. */
export const oneRange = { interval: null, compare_from: null, compare_to: null };

interface LinkProps {
  row: UsageReportRow;
  by: UsageGroup;
  view: View;
  names: GroupNames;
}

/** A project opens its tasks, a team and a person their runs, an actor its events, others their page. */
export function GroupLink({ row, by, view, names }: LinkProps) {
  const label = groupName(row, by, names);
  const title = by === "task" || by === "run" ? names.titles.get(keyOfWork(row)) : undefined;
  const name = by === "actor" && row.actor ? <Actor of={row.actor} /> : title ? <bdi>{title}</bdi> : label;
  const href = groupUrl(row, by, view);
  const more = [title && label, row.summary].filter(Boolean).join(" · ");
  return (
    <>
      {href ? <a href={href}>{name}</a> : name}
      {more && <span class="soft run-summary">{more}</span>}
    </>
  );
}

function groupUrl(row: UsageReportRow, by: UsageGroup, { url }: View): string | null {
  const { project, actor, run_id } = row;
  const hasOwner = url.searchParams.has("team") || url.searchParams.has("person");
  if (by === "project" && project) return urlWith(url, { project, by: hasOwner ? "run" : "task" });
  if ((by === "team" || by === "person") && row[by])
    return urlWith(url, { ...oneRange, [by]: row[by], by: "run" });
  if (by === "run" && project && run_id) return runUrl({ project, id: run_id });
  if (by === "task") return taskUrl(row);
  return by === "actor" && actor ? `/feed?${new URLSearchParams({ actor })}` : null;
}

/** The table's parameters: the groups of the page, all of them. */
function csvQuery({ url }: View, { from, to, by }: UsageReport): string {
  return urlWith(url, { from, to, by, interval: null, limit: csvLimit }).slice(url.pathname.length);
}
