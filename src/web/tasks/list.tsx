/** @jsxImportSource preact */
/** The page of tasks: a board by stage, or a table. */

import { actorName } from "../../core/auth/actor-name.ts";
import { listProjects } from "../../feed/operations/projects.ts";
import type { ProjectList } from "../../feed/projects/schema.ts";
import { getTaskBoard, listTasks } from "../../overview/operations/runs.ts";
import { type TaskBoard, type TaskPage, type TaskStage, taskStages } from "../../overview/tasks/schema.ts";
import { EmptyState, maySetUp } from "../layout.tsx";
import { callOperation, filtersOf, type Page, urlWith, type View } from "../view.ts";
import { Board } from "./board.tsx";
import { stageStyles } from "./stage.tsx";
import { TaskTable } from "./table.tsx";

const filterNames = ["project", "stage", "actor", "model"] as const;
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
        <nav class="tabs" aria-label="View">
          <a
            href={urlWith(url, { as: null, cursor: null, sort: null })}
            aria-current={isTable ? undefined : "true"}
          >
            Board
          </a>
          <a href={urlWith(url, { as: "table" })} aria-current={isTable ? "true" : undefined}>
            Table
          </a>
        </nav>
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
        <Filters filters={filters} fields={[{ name: "project", label: "Project", options: slugs }]} />
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
  const named = (values: string[], chosen: string | undefined) =>
    [...new Set(chosen === undefined ? values : [...values, chosen])].sort();
  const fields = [
    { name: "project", label: "Project", options: slugs },
    {
      name: "stage",
      label: "Stage",
      options: taskStages,
      nameOf: (stage: string) => stageStyles[stage as TaskStage].label,
    },
    {
      name: "actor",
      label: "Agent",
      options: named(
        tasks.flatMap(({ actors }) => actors),
        filters.actor,
      ),
      nameOf: actorName,
    },
    {
      name: "model",
      label: "Model",
      options: named(
        tasks.flatMap(({ models }) => models),
        filters.model,
      ),
    },
  ];
  return (
    <>
      <Filters filters={filters} fields={fields} sort={url.searchParams.get("sort")} as="table" />
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

interface Field {
  name: string;
  label: string;
  options: readonly string[];
  /** What a person reads for an option; the option itself by default. */
  nameOf?(option: string): string;
}

interface FiltersProps {
  filters: Record<string, string>;
  fields: Field[];
  as?: string;
  sort?: string | null;
}

const Filters = ({ filters, fields, as, sort }: FiltersProps) => (
  <form class="filters" method="get" action="/tasks">
    {as && <input type="hidden" name="as" value={as} />}
    {sort && <input type="hidden" name="sort" value={sort} />}
    {fields.map(({ name, label, options, nameOf = (option) => option }) => (
      <label key={name}>
        {label}{" "}
        <select name={name}>
          <option value="">All</option>
          {options.map((option) => (
            <option key={option} value={option} selected={option === filters[name]}>
              {nameOf(option)}
            </option>
          ))}
        </select>
      </label>
    ))}
    <button type="submit">Apply</button>
    {Object.keys(filters).length > 0 && (
      <a class="clear" href={as ? `/tasks?as=${as}` : "/tasks"}>
        Clear
      </a>
    )}
  </form>
);

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
