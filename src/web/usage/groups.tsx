/** @jsxImportSource preact */
/** The groups of a usage report, the most expensive first. */
import { actorName } from "../../core/auth/actor-name.ts";
import { isolateBidi } from "../../core/lib/strings/display-text.ts";
import type { UsageGroup, UsageReport, UsageReportRow } from "../../feed/usage/schema.ts";
import { Actor } from "../actor.tsx";
import { formatCost, formatCount, formatDate } from "../format.ts";
import { runUrl, taskUrl } from "../runs/links.tsx";
import { urlWith, type View } from "../view.ts";
import { csvLimit } from "./csv.ts";
import { Change } from "./facts.tsx";

/** What a row is called: a slug, a model, a lane, an actor, or a task such as `atlas #12`. */
export function groupName(row: UsageReportRow, by: UsageGroup): string {
  if (by === "task") return `${row.project} ${taskLabel(row)}`;
  const value = row[by === "run" ? "run_id" : by];
  if (value === null) return `no ${by}`;
  return isolateBidi(by === "actor" ? actorName(value) : value);
}

/** #12, PR #40 */
export const taskLabel = ({ issue, pr }: Pick<UsageReportRow, "issue" | "pr">): string =>
  issue !== null ? `#${issue}` : pr !== null ? `PR #${pr}` : "unattributed";

const heads: Record<UsageGroup, string> = {
  project: "Project",
  model: "Model",
  lane: "Lane",
  actor: "Actor",
  task: "Task",
  run: "Run",
  team: "Team",
  person: "Person",
};

interface TableProps {
  report: UsageReport;
  view: View;
  /** Whether the range compared with has too little data for changes in percent. */
  isSparse: boolean;
}

export function GroupTable({ report, view, isSparse }: TableProps) {
  const { by, rows, more, compared, total } = report;
  return (
    <section aria-labelledby="by-group">
      <div class="head">
        <h2 id="by-group">By {by}</h2>
        <a class="button" href={`/usage.csv${csvQuery(view, report)}`} download>
          Download CSV
        </a>
        {compared && <p class="soft">Before: {rangeName(compared)}</p>}
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable regions need keyboard access */}
      <section class="wide-table" tabIndex={0} aria-label={`Usage by ${by}`}>
        <table class="numbers">
          <thead>
            <tr>
              <th scope="col">{heads[by]}</th>
              <th scope="col">Cost</th>
              <th scope="col">Share</th>
              {compared && <th scope="col">Before</th>}
              {compared && !isSparse && <th scope="col">Change</th>}
              <th scope="col">Tokens in</th>
              <th scope="col">Tokens out</th>
              <th scope="col">From cache</th>
              <th scope="col">Runs</th>
              <th scope="col">Failed</th>
              <th scope="col">Merged</th>
              <th scope="col">Per merge</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <Row
                key={JSON.stringify(row)}
                row={row}
                by={by}
                more={more}
                view={view}
                isSparse={isSparse}
                total={total.cost_equiv}
              />
            ))}
          </tbody>
        </table>
      </section>
    </section>
  );
}

/** The rest of the runs has the work outside of runs too. */
function restName(by: UsageGroup, more: number): string {
  const others = `and ${more} more`;
  if (by !== "run") return others;
  return more > 0 ? `${others}, and work outside of runs` : "work outside of runs";
}

interface RowProps {
  row: UsageReportRow;
  by: UsageGroup;
  more: number;
  /** The cost of all groups. */
  total: number;
  view: View;
  isSparse: boolean;
}

const Row = ({ row, by, more, total, view, isSparse }: RowProps) => (
  <tr>
    <th scope="row" class={row.rest ? "rest" : undefined}>
      {row.rest ? restName(by, more) : <GroupLink row={row} by={by} view={view} />}
    </th>
    <td>{formatCost(row.cost_equiv)}</td>
    <td class="share">{total > 0 ? `${Math.round((row.cost_equiv / total) * 100)}%` : ""}</td>
    {row.compared && <td>{formatCost(row.compared.cost_equiv)}</td>}
    {row.compared && !isSparse && (
      <td>
        <Change now={row.cost_equiv} before={row.compared.cost_equiv} show={formatCost} isSparse={false} />
      </td>
    )}
    <td>{formatCount(row.tokens_in)}</td>
    <td>{formatCount(row.tokens_out)}</td>
    <td>{formatCount(row.cache_read)}</td>
    <td>{formatCount(row.runs)}</td>
    <td>{formatCount(row.failures)}</td>
    <td>{formatCount(row.merges)}</td>
    <td>{row.cost_per_merge === null ? "" : formatCost(row.cost_per_merge)}</td>
  </tr>
);

/** A project opens its tasks, a task and a run their page, and an actor its events. */
export function GroupLink({ row, by, view }: Pick<RowProps, "row" | "by" | "view">) {
  const name = by === "actor" && row.actor ? <Actor of={row.actor} /> : groupName(row, by);
  const href = groupUrl(row, by, view);
  return (
    <>
      {href ? <a href={href}>{name}</a> : name}
      {row.summary && <span class="soft run-summary">{row.summary}</span>}
    </>
  );
}

function groupUrl(row: UsageReportRow, by: UsageGroup, { url }: View): string | null {
  const { project, actor, run_id } = row;
  if (by === "project" && project) return urlWith(url, { project, by: "task" });
  if (by === "run" && project && run_id) return runUrl({ project, id: run_id });
  if (by === "task") return taskUrl(row);
  return by === "actor" && actor ? `/feed?${new URLSearchParams({ actor })}` : null;
}

const rangeName = ({ from, to }: { from: string; to: string }): string =>
  from === to ? formatDate(from) : `${formatDate(from)} to ${formatDate(to)}`;

/** The table's parameters: the groups of the page, all of them. */
function csvQuery({ url }: View, { from, to, by }: UsageReport): string {
  return urlWith(url, { from, to, by, interval: null, limit: csvLimit }).slice(url.pathname.length);
}
