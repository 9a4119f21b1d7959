/** @jsxImportSource preact */
/** The page of runs: a table that filters and sorts. */

import { actorName } from "../../core/auth/actor-name.ts";
import { listRuns } from "../../feed/operations/feed.ts";
import { listProjects } from "../../feed/operations/projects.ts";
import type { ProjectList } from "../../feed/projects/schema.ts";
import { type Run, type RunPage, type RunSort, type RunsQuery, runStatuses } from "../../feed/runs/schema.ts";
import { Actor } from "../actor.tsx";
import { formatCost, formatCount, formatDuration } from "../format.ts";
import { EmptyState } from "../layout.tsx";
import { type Column, ColumnHeads, choicesOf, type FilterField, ListFilters } from "../list-filters.tsx";
import { TaskTabs } from "../tasks/tabs.tsx";
import { Time } from "../time.tsx";
import { callOperation, filtersOf, type Page, urlWith, type View } from "../view.ts";
import { runUrl, taskName, taskUrl } from "./links.tsx";
import { RunStatus } from "./status.tsx";

type FilterName = Exclude<keyof RunsQuery, "sort" | "limit" | "cursor">;

interface Shown {
  runs: readonly Run[];
  slugs: readonly string[];
}

/** The field of each filter, in this order. Null: links to the page set it. */
const fields: Record<FilterName, FilterField<Shown> | null> = {
  project: { label: "Project", options: ({ slugs }) => slugs },
  status: { label: "Status", options: () => runStatuses },
  actor: {
    label: "Agent",
    options: ({ runs }, chosen) =>
      choicesOf(
        runs.map(({ actor }) => actor),
        chosen,
      ),
    nameOf: actorName,
  },
  model: {
    label: "Model",
    options: ({ runs }, chosen) =>
      choicesOf(
        runs.flatMap(({ models }) => models),
        chosen,
      ),
  },
  issue: null,
  pr: null,
  lane: null,
  parent: null,
};
const filterNames = Object.keys(fields) as FilterName[];
const linkFilters = filterNames.filter((name) => fields[name] === null);
export const runListParameters = [...filterNames, "sort", "cursor"];

const pageLength = 50;

export async function runsPage(view: View): Promise<Page> {
  const { url } = view;
  const { issue, pr, ...filters } = filtersOf(url, filterNames);
  const numbers = { ...(issue && { issue: Number(issue) }), ...(pr && { pr: Number(pr) }) };
  const [{ runs, next_cursor }, { projects }] = await Promise.all([
    callOperation<RunPage>(view, listRuns, {
      ...filters,
      ...numbers,
      ...filtersOf(url, ["sort", "cursor"]),
      limit: pageLength,
    }),
    callOperation<ProjectList>(view, listProjects, { limit: 100 }),
  ]);
  const body = (
    <>
      <div class="head">
        <h1>Runs</h1>
        <TaskTabs view={view} shown="Runs" />
      </div>
      <ListFilters
        path="/runs"
        filters={filters}
        fields={fields}
        shown={{ runs, slugs: projects.map(({ slug }) => slug) }}
        hidden={filtersOf(url, ["sort", ...linkFilters])}
      />
      {runs.length === 0 ? (
        <EmptyState title={url.search ? "No runs match these filters." : "No runs yet."} />
      ) : (
        <RunTable runs={runs} url={url} />
      )}
      {next_cursor && (
        <p class="older">
          <a class="button" href={urlWith(url, { cursor: next_cursor })} rel="next">
            More runs
          </a>
        </p>
      )}
    </>
  );
  return { title: "Runs", navEntry: "tasks", body };
}

const columns: readonly Column<RunSort>[] = [
  { label: "Run" },
  { label: "Task" },
  { label: "Status" },
  { label: "Duration", sort: "duration" },
  { label: "Steps", sort: "steps" },
  { label: "Cost", sort: "cost" },
  { label: "Last event", sort: "recent" },
  { label: "Agent" },
  { label: "Models" },
];

const RunTable = ({ runs, url }: { runs: Run[]; url: URL }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard
  <section class="wide-table" tabIndex={0} aria-label="Runs">
    <table>
      <thead>
        <ColumnHeads columns={columns} byDefault="recent" url={url} />
      </thead>
      <tbody>
        {runs.map((run) => (
          <Row key={`${run.project} ${run.id}`} run={run} />
        ))}
      </tbody>
    </table>
  </section>
);

function Row({ run }: { run: Run }) {
  const task = taskUrl(run);
  return (
    <tr>
      <td class="title">
        <a href={runUrl(run)}>
          <bdi>{run.title}</bdi>
        </a>
      </td>
      <td>
        {run.project} {task && <a href={task}>{taskName(run)}</a>}
      </td>
      <td>
        <RunStatus status={run.status} />
      </td>
      <td>{run.duration_ms === null ? "" : formatDuration(run.duration_ms)}</td>
      <td>{formatCount(run.steps)}</td>
      <td>{formatCost(run.cost_equiv)}</td>
      <td>
        <Time ts={run.last_event_at} as="short" />
      </td>
      <td>
        <Actor of={run.actor} />
      </td>
      <td>{run.models.join(", ")}</td>
    </tr>
  );
}
