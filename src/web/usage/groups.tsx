/** @jsxImportSource preact */
/** The groups of a usage report, the most expensive first. */
import type { UsageReport, UsageReportRow } from "../../usage/schema.ts";
import { formatCost, formatCount, formatDate } from "../format.ts";
import { urlWith, type View } from "../view.ts";
import { Change } from "./facts.tsx";

/** What a row is called: a slug, a model, a lane, an actor, or a task such as `atlas #12`. */
export function groupName(row: UsageReportRow, by: string): string {
  if (by === "task") return `${row.project} ${taskName(row)}`;
  const value = row[by === "run" ? "run_id" : (by as "project" | "model" | "lane" | "actor")];
  return value ?? `no ${by}`;
}

const taskName = ({ issue, pr }: Pick<UsageReportRow, "issue" | "pr">): string =>
  issue !== null ? `#${issue}` : pr !== null ? `PR #${pr}` : "no task";

const heads: Record<string, string> = {
  ...{ project: "Project", model: "Model", lane: "Lane", actor: "Actor", task: "Task" },
};

export function GroupTable({ report, view }: { report: UsageReport; view: View }) {
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
              {compared && <th scope="col">Change</th>}
              <th scope="col">Tokens in</th>
              <th scope="col">Tokens out</th>
              <th scope="col">From cache</th>
              <th scope="col">Runs</th>
              <th scope="col">Failed</th>
              <th scope="col">Merged</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <Row key={JSON.stringify(row)} {...{ row, by, more, view }} total={total.cost_equiv} />
            ))}
          </tbody>
        </table>
      </section>
    </section>
  );
}

interface RowProps {
  row: UsageReportRow;
  by: string;
  more: number;
  /** The cost of all groups. */
  total: number;
  view: View;
}

const Row = ({ row, by, more, total, view }: RowProps) => (
  <tr>
    <th scope="row">{row.rest ? `and ${more} more` : <GroupLink row={row} by={by} view={view} />}</th>
    <td>{formatCost(row.cost_equiv)}</td>
    <td class="share">{total > 0 ? `${Math.round((row.cost_equiv / total) * 100)}%` : ""}</td>
    {row.compared && <td>{formatCost(row.compared.cost_equiv)}</td>}
    {row.compared && (
      <td>
        <Change now={row.cost_equiv} before={row.compared.cost_equiv} show={formatCost} />
      </td>
    )}
    <td>{formatCount(row.tokens_in)}</td>
    <td>{formatCount(row.tokens_out)}</td>
    <td>{formatCount(row.cache_read)}</td>
    <td>{formatCount(row.runs)}</td>
    <td>{formatCount(row.failures)}</td>
    <td>{formatCount(row.merges)}</td>
  </tr>
);

/** A project opens its own usage; a task and an actor open their events. */
function GroupLink({ row, by, view }: Pick<RowProps, "row" | "by" | "view">) {
  const name = groupName(row, by);
  const { project, issue, pr, actor } = row;
  if (by === "project" && project) return <a href={urlWith(view.url, { project, by: "task" })}>{name}</a>;
  if (by === "task" && project && (issue ?? pr) !== null)
    return <a href={`/feed?${new URLSearchParams({ project, ...task(issue, pr) })}`}>{name}</a>;
  return actor ? <a href={`/feed?${new URLSearchParams({ actor })}`}>{name}</a> : <span>{name}</span>;
}

const task = (issue: number | null, pr: number | null): Record<string, string> =>
  issue !== null ? { issue: String(issue) } : { pr: String(pr) };

const rangeName = ({ from, to }: { from: string; to: string }): string =>
  from === to ? formatDate(from) : `${formatDate(from)} to ${formatDate(to)}`;

/** The table's parameters: the groups of the page, all of them. */
function csvQuery({ url }: View, { from, to, by }: UsageReport): string {
  return urlWith(url, { from, to, by, interval: null, limit: "200" }).slice(url.pathname.length);
}
