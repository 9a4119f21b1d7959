/** The page of tasks: a board by stage, or a table. */
import { listAgents, listOwnerValues } from "../../feed/filter-values.ts";
import { listProjects } from "../../feed/operations/projects.ts";
import type { ProjectList } from "../../feed/projects/schema.ts";
import { getTaskBoard, listTasks } from "../../overview/operations/runs.ts";
import {
  type ListedTask,
  type TaskBoard,
  type TaskPage,
  type TaskSort,
  type TaskStage,
  type TasksQuery,
  taskStages,
} from "../../overview/tasks/schema.ts";
import { formatCost, formatCount } from "../format.ts";
import { EmptyState, maySetUp } from "../layout.tsx";
import { agentField } from "../lists/agents.ts";
import { type FilterField, queryOf } from "../lists/fields.tsx";
import { Found, isFiltered, ListFilters, listScript } from "../lists/filters.tsx";
import { noOwners, type Owners, ownerFields } from "../lists/owners.ts";
import { listOrRefused, RefusedFilter } from "../lists/refused-filter.ts";
import { type Column, Table } from "../lists/table.tsx";
import { taskUrl } from "../runs/links.tsx";
import { Time } from "../time.tsx";
import { callOperation, filtersOf, type Page, readFor, urlWith, type View } from "../view.ts";
import { Board, Names } from "./board.tsx";
import { Stage, stageStyles, TaskLink, TaskNumbers } from "./stage.tsx";
import { TaskTabs } from "./tabs.tsx";

type FilterName = Exclude<keyof TasksQuery, "sort" | "limit" | "cursor">;

interface Choices {
  tasks: ListedTask[];
  slugs: readonly string[];
  agents: readonly string[];
  owners: Owners;
}

/** The field of each filter of the table, in this order. Links to the page set the hidden one. */
const fieldsOf = ({ tasks, slugs, agents, owners }: Choices) =>
  ({
    project: { label: "Project", options: slugs },
    stage: {
      label: "Stage",
      options: taskStages,
      nameOf: (stage) => stageStyles[stage as TaskStage]?.label ?? stage,
    },
    actor: agentField(agents),
    model: { label: "Model", options: [...new Set(tasks.flatMap(({ models }) => models))].sort() },
    ...ownerFields(owners),
    state: { label: "State", as: "hidden" },
  }) satisfies Record<FilterName, FilterField>;
const noChoices: Choices = { tasks: [], slugs: [], agents: [], owners: noOwners };
const filterNames = Object.keys(fieldsOf(noChoices));
export const taskListParameters = [...filterNames, "sort", "as", "cursor"];

const tableLength = 50;

export async function tasksPage(view: View): Promise<Page> {
  const { url } = view;
  const isTable = url.searchParams.get("as") === "table";
  const { projects } = await callOperation<ProjectList>(view, listProjects, { limit: 100 });
  const slugs = projects.map(({ slug }) => slug);
  const { list, refused } = isTable ? await tableView(view, slugs) : await boardView(view, slugs);
  const body = (
    <>
      <div class="head">
        <h1>Tasks</h1>
        <TaskTabs view={view} shown={isTable ? "Table" : "Board"} />
      </div>
      {list}
    </>
  );
  return { title: "Tasks", navEntry: "tasks", body, islands: [listScript], status: refused?.status ?? 200 };
}

async function boardView(view: View, slugs: string[]) {
  const { url } = view;
  const fields = { project: fieldsOf({ ...noChoices, slugs }).project };
  const { project } = filtersOf(url, ["project"]);
  const board = await listOrRefused(view, ["project"], () =>
    callOperation<TaskBoard>(view, getTaskBoard, { project }),
  );
  const refused = board instanceof RefusedFilter ? board : undefined;
  const columns = board instanceof RefusedFilter ? [] : board.columns;
  const list = (
    <>
      {(slugs.length > 1 || project) && <ListFilters url={url} fields={fields} refused={refused} />}
      <Found url={url} fields={fields} refused={refused}>
        {columns.every(({ count }) => count === 0) ? (
          <NoTasks view={view} isFiltered={project !== undefined} />
        ) : (
          <Board columns={columns} project={project} />
        )}
      </Found>
    </>
  );
  return { list, refused };
}

async function tableView(view: View, slugs: string[]) {
  const { url, ctx, visitor } = view;
  const [agents, owners] = await Promise.all([
    readFor(view, listAgents(ctx, visitor.caller)),
    listOwnerValues(ctx, visitor.caller),
  ]);
  const found = await listOrRefused(view, filterNames, () =>
    callOperation<TaskPage>(view, listTasks, {
      ...queryOf(url, fieldsOf({ tasks: [], slugs, agents, owners })),
      ...filtersOf(url, ["sort", "cursor"]),
      limit: tableLength,
    }),
  );
  const refused = found instanceof RefusedFilter ? found : undefined;
  const { tasks, next_cursor } = found instanceof RefusedFilter ? { tasks: [], next_cursor: null } : found;
  const filters = { url, fields: fieldsOf({ tasks, slugs, agents, owners }), keeps: ["as", "sort"], refused };
  const list = (
    <>
      <ListFilters {...filters} />
      <Found {...filters}>
        {tasks.length === 0 ? (
          <NoTasks view={view} isFiltered={isFiltered(url, filters.fields)} />
        ) : (
          <TaskTable tasks={tasks} url={url} />
        )}
        {next_cursor && (
          <p class="older">
            <a class="button" href={urlWith(url, { cursor: next_cursor })} rel="next">
              More tasks
            </a>
          </p>
        )}
      </Found>
    </>
  );
  return { list, refused };
}

const NoTasks = ({ view, isFiltered }: { view: View; isFiltered: boolean }) => (
  <EmptyState title={isFiltered ? "No tasks match these filters." : "No tasks yet."}>
    {!isFiltered && (
      <p>
        A task is an issue with its pull requests and the runs that work on it.{" "}
        {maySetUp(view) && (
          <>
            See <a href="/welcome">Get started</a> to connect a repository and an agent.
          </>
        )}
      </p>
    )}
  </EmptyState>
);

const columns: readonly Column<ListedTask, TaskSort>[] = [
  {
    label: "Task",
    isName: true,
    class: "title",
    cell: (task) => (
      <>
        <TaskLink task={task} />
        <span class="soft">
          {task.project} <TaskNumbers task={task} />
        </span>
      </>
    ),
  },
  { label: "Stage", cell: ({ stage }) => <Stage stage={stage} /> },
  { label: "Runs", class: "amount", sort: "runs", cell: ({ runs }) => formatCount(runs) },
  { label: "Versions", class: "amount", cell: ({ versions }) => formatCount(versions) },
  { label: "Cost", class: "amount", sort: "cost", cell: ({ cost_equiv }) => formatCost(cost_equiv) },
  { label: "Opened", sort: "age", cell: ({ opened_at }) => opened_at && <Time ts={opened_at} /> },
  {
    label: "Last run",
    sort: "recent",
    cell: ({ runs, last_event_at }) => runs > 0 && <Time ts={last_event_at} />,
  },
  { label: "Agents", class: "wraps", cell: ({ actors }) => <Names actors={actors} /> },
  { label: "Models", class: "wraps", cell: ({ models }) => models.join(", ") },
];

const TaskTable = ({ tasks, url }: { tasks: ListedTask[]; url: URL }) => (
  <Table
    label="Tasks"
    columns={columns}
    rows={tasks}
    keyOf={(task) => taskUrl(task) ?? ""}
    sorting={{ url, byDefault: "recent" }}
  />
);
