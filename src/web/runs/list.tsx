/** The page of runs: a table that filters and sorts. */

import { listAgents, listOwnerValues } from "../../feed/filter-values.ts";
import { listRuns } from "../../feed/operations/feed.ts";
import { listProjects } from "../../feed/operations/projects.ts";
import type { ProjectList } from "../../feed/projects/schema.ts";
import { type Run, type RunPage, type RunSort, type RunsQuery, runStatuses } from "../../feed/runs/schema.ts";
import { Actor } from "../actor.tsx";
import { formatCost, formatCount, formatDuration } from "../format.ts";
import { EmptyState, maySetUp } from "../layout.tsx";
import { agentField } from "../lists/agents.ts";
import { type FilterField, queryOf } from "../lists/fields.tsx";
import { Found, isFiltered, ListFilters, listScript } from "../lists/filters.tsx";
import { noOwners, type Owners, ownerFields } from "../lists/owners.ts";
import { listOrRefused, RefusedFilter } from "../lists/refused-filter.ts";
import { type Column, Table } from "../lists/table.tsx";
import { TaskTabs } from "../tasks/tabs.tsx";
import { Time } from "../time.tsx";
import { callOperation, filtersOf, type Page, readFor, urlWith, type View } from "../view.ts";
import { runUrl, taskName, taskUrl } from "./links.tsx";
import { RunStatus } from "./status.tsx";

type FilterName = Exclude<keyof RunsQuery, "sort" | "limit" | "cursor">;

interface Choices {
  runs: readonly Run[];
  slugs: readonly string[];
  agents: readonly string[];
  owners: Owners;
}

/** The field of each filter, in this order. Links to the page set the hidden ones. */
const fieldsOf = ({ runs, slugs, agents, owners }: Choices): Record<FilterName, FilterField> => ({
  project: { label: "Project", options: slugs },
  status: { label: "Status", options: runStatuses },
  actor: agentField(agents),
  model: { label: "Model", options: [...new Set(runs.flatMap(({ models }) => models))].sort() },
  ...ownerFields(owners),
  issue: { label: "Issue", as: "number", placeholder: "#" },
  pr: { label: "Pull request", as: "number", placeholder: "#" },
  task: { label: "Task key", placeholder: "PROJ-123" },
  lane: { label: "Workstream", as: "hidden" },
  parent: { label: "Started by run", as: "hidden" },
});
const filterNames = Object.keys(fieldsOf({ runs: [], slugs: [], agents: [], owners: noOwners }));
export const runListParameters = [...filterNames, "sort", "cursor"];

const pageLength = 50;

export async function runsPage(view: View): Promise<Page> {
  const { url, ctx, visitor } = view;
  const [{ projects }, agents, owners] = await Promise.all([
    callOperation<ProjectList>(view, listProjects, { limit: 100 }),
    readFor(view, listAgents(ctx, visitor.caller)),
    listOwnerValues(ctx, visitor.caller),
  ]);
  const slugs = projects.map(({ slug }) => slug);
  const found = await listOrRefused(view, filterNames, () =>
    callOperation<RunPage>(view, listRuns, {
      ...queryOf(url, fieldsOf({ runs: [], slugs, agents, owners })),
      ...filtersOf(url, ["sort", "cursor"]),
      limit: pageLength,
    }),
  );
  const refused = found instanceof RefusedFilter ? found : undefined;
  const { runs, next_cursor } = found instanceof RefusedFilter ? noRuns : found;
  const filters = { url, fields: fieldsOf({ runs, slugs, agents, owners }), keeps: ["sort"], refused };
  const body = (
    <>
      <div class="head">
        <h1>Runs</h1>
        <TaskTabs view={view} shown="Runs" />
      </div>
      <ListFilters {...filters} />
      <Found {...filters}>
        {runs.length === 0 ? (
          <NoRuns view={view} isFiltered={isFiltered(url, filters.fields)} />
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
      </Found>
    </>
  );
  return { title: "Runs", navEntry: "tasks", body, islands: [listScript], status: refused?.status ?? 200 };
}

const noRuns: Pick<RunPage, "runs" | "next_cursor"> = { runs: [], next_cursor: null };

const NoRuns = ({ view, isFiltered }: { view: View; isFiltered: boolean }) => (
  <EmptyState title={isFiltered ? "No runs match these filters." : "No runs yet."}>
    {!isFiltered && (
      <p>
        A run is one go of an agent at a task, with its steps, cost and results.{" "}
        {maySetUp(view) && (
          <>
            See <a href="/welcome">Get started</a> to connect an agent.
          </>
        )}
      </p>
    )}
  </EmptyState>
);

const columns: readonly Column<Run, RunSort>[] = [
  {
    label: "Run",
    isName: true,
    class: "title",
    cell: (run) => (
      <a href={runUrl(run)}>
        <bdi>{run.title}</bdi>
      </a>
    ),
  },
  { label: "Task", cell: (run) => <RunTask run={run} /> },
  { label: "Status", cell: ({ status }) => <RunStatus status={status} /> },
  {
    label: "Duration",
    class: "amount",
    sort: "duration",
    cell: ({ duration_ms }) => duration_ms !== null && formatDuration(duration_ms),
  },
  { label: "Steps", class: "amount", sort: "steps", cell: ({ steps }) => formatCount(steps) },
  { label: "Cost", class: "amount", sort: "cost", cell: ({ cost_equiv }) => formatCost(cost_equiv) },
  { label: "Last event", sort: "recent", cell: ({ last_event_at }) => <Time ts={last_event_at} /> },
  { label: "Agent", class: "wraps", cell: ({ actor }) => <Actor of={actor} /> },
  { label: "Models", class: "wraps", cell: ({ models }) => models.join(", ") },
];

const RunTable = ({ runs, url }: { runs: Run[]; url: URL }) => (
  <Table
    label="Runs"
    columns={columns}
    rows={runs}
    keyOf={({ project, id }) => `${project} ${id}`}
    sorting={{ url, byDefault: "recent" }}
  />
);

function RunTask({ run }: { run: Run }) {
  const task = taskUrl(run);
  return (
    <>
      {run.project} {task && <a href={task}>{taskName(run)}</a>}
    </>
  );
}
