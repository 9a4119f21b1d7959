/** @jsxImportSource preact */
/** The page of tasks: a board by stage, or a table. */

import { actorName } from "../../core/auth/actor-name.ts";
import { listProjects } from "../../feed/operations/projects.ts";
import type { ProjectList } from "../../feed/projects/schema.ts";
import { getTaskBoard, listTasks } from "../../overview/operations/runs.ts";
import {
  type ListedTask,
  type TaskBoard,
  type TaskPage,
  type TaskStage,
  type TasksQuery,
  taskStages,
} from "../../overview/tasks/schema.ts";
import { EmptyState, maySetUp } from "../layout.tsx";
import { choicesOf, type FilterField, ListFilters } from "../list-filters.tsx";
import { callOperation, filtersOf, type Page, urlWith, type View } from "../view.ts";
import { Board } from "./board.tsx";
import { stageStyles } from "./stage.tsx";
import { TaskTable } from "./table.tsx";
import { TaskTabs } from "./tabs.tsx";

type FilterName = Exclude<keyof TasksQuery, "sort" | "limit" | "cursor">;

interface Shown {
  tasks: ListedTask[];
  slugs: readonly string[];
}

/** The field of each filter of the table, in this order. Null: the page does not have the filter. */
const fields = {
  project: { label: "Project", options: ({ slugs }) => slugs },
  stage: {
    label: "Stage",
    options: () => taskStages,
    nameOf: (stage) => stageStyles[stage as TaskStage].label,
  },
  actor: {
    label: "Agent",
    options: ({ tasks }, chosen) =>
      choicesOf(
        tasks.flatMap(({ actors }) => actors),
        chosen,
      ),
    nameOf: actorName,
  },
  model: {
    label: "Model",
    options: ({ tasks }, chosen) =>
      choicesOf(
        tasks.flatMap(({ models }) => models),
        chosen,
      ),
  },
  state: null,
} satisfies Record<FilterName, FilterField<Shown> | null>;
const filterNames = Object.entries(fields).flatMap(([name, field]) => (field ? [name] : []));
export const taskListParameters = [...filterNames, "sort", "as", "cursor"];

const tableLength = 50;

export async function tasksPage(view: View): Promise<Page> {
  const { url } = view;
  const isTable = url.searchParams.get("as") === "table";
  const { projects } = await callOperation<ProjectList>(view, listProjects, { limit: 100 });
  const slugs = projects.map(({ slug }) => slug);
  const body = (
    <>
      <div class="head">
        <h1>Tasks</h1>
        <TaskTabs view={view} shown={isTable ? "Table" : "Board"} />
      </div>
      {isTable ? await tableView(view, slugs) : await boardView(view, slugs)}
    </>
  );
  return { title: "Tasks", navEntry: "tasks", body };
}

async function boardView(view: View, slugs: string[]) {
  const filters = filtersOf(view.url, ["project"]);
  const { columns } = await callOperation<TaskBoard>(view, getTaskBoard, filters);
  return (
    <>
      {slugs.length > 1 && (
        <ListFilters
          path="/tasks"
          filters={filters}
          fields={{ project: fields.project }}
          shown={{ tasks: [], slugs }}
        />
      )}
      {columns.every(({ count }) => count === 0) ? (
        <NoTasks view={view} isFiltered={filters.project !== undefined} />
      ) : (
        <Board columns={columns} project={filters.project} now={view.ctx.now()} />
      )}
    </>
  );
}

async function tableView(view: View, slugs: string[]) {
  const { url } = view;
  const filters = filtersOf(url, filterNames);
  const { tasks, next_cursor } = await callOperation<TaskPage>(view, listTasks, {
    ...filters,
    ...filtersOf(url, ["sort", "cursor"]),
    limit: tableLength,
  });
  return (
    <>
      <ListFilters
        path="/tasks"
        filters={filters}
        fields={fields}
        shown={{ tasks, slugs }}
        hidden={filtersOf(url, ["as", "sort"])}
      />
      {tasks.length === 0 ? (
        <NoTasks view={view} isFiltered={Object.keys(filters).length > 0} />
      ) : (
        <TaskTable tasks={tasks} url={url} now={view.ctx.now()} />
      )}
      {next_cursor && (
        <p class="older">
          <a class="button" href={urlWith(url, { cursor: next_cursor })} rel="next">
            More tasks
          </a>
        </p>
      )}
    </>
  );
}

const NoTasks = ({ view, isFiltered }: { view: View; isFiltered: boolean }) => (
  <EmptyState title={isFiltered ? "No tasks match these filters." : "No tasks yet."}>
    {isFiltered ? (
      <a href="/tasks">Clear filters</a>
    ) : (
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
