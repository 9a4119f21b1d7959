/** `svc tasks`: lists tasks. */

import { type ArgsDef, defineCommand } from "citty";
import { actorForms, actorName } from "../../../src/core/auth/actor-name.ts";
import { escapeControls } from "../../../src/core/lib/strings/display-text.ts";
import { taskNames } from "../../../src/core/task-key.ts";
import { TasksQuery, taskSorts, taskStages, taskStates } from "../../../src/overview/tasks/schema.ts";
import { apiFlags, withApi } from "../../api.ts";
import { type Schemas, unwrap } from "../../client/client.ts";
import { checkFlags, printJsonLines, printLine } from "../../command.ts";
import { note } from "../../output/report.ts";
import { fittedTable, formatAge } from "../../output/table.ts";
import { readItems } from "./pages.ts";

type Task = Schemas["Task"];

const columns = [
  { head: "TASK" },
  { head: "PROJECT", rank: 3 },
  { head: "STAGE" },
  { head: "AGENT", rank: 2 },
  { head: "RUNS", rank: 5 },
  { head: "VERSIONS", rank: 6 },
  { head: "COST", rank: 1 },
  { head: "AGE", rank: 4 },
  { head: "TITLE", flexible: true as const },
];

/** One flag for each filter of the list. */
const filterFlags = {
  project: { type: "string", description: "Only tasks of this project" },
  stage: { type: "string", description: `Only tasks in this stage: ${taskStages.join(", ")}` },
  state: {
    type: "string",
    description: `Only tasks with this state of their forge: ${taskStates.join(", ")}`,
  },
  actor: { type: "string", description: "Only tasks with runs of this actor" },
  model: { type: "string", description: "Only tasks with runs of this model" },
  team: { type: "string", description: "Only tasks with runs of this team" },
  person: { type: "string", description: "Only tasks with runs of this person" },
  sort: { type: "string", description: `Sort by one of: ${taskSorts.join(", ")} (default recent)` },
  limit: { type: "string", description: "Maximum number of tasks (default 50)" },
} as const satisfies Record<Exclude<keyof TasksQuery, "cursor">, ArgsDef[string]>;

export default defineCommand({
  args: {
    ...filterFlags,
    ...apiFlags,
  },
  async run({ args }) {
    const { limit = 50, ...query } = checkFlags(TasksQuery, { ...args, actor: undefined });
    const actors = args.actor === undefined ? [undefined] : actorForms(args.actor);
    const filters = actors.map((actor) => ({ ...query, ...checkFlags(TasksQuery, { actor }) }));
    const found = await withApi(args, ({ api }) =>
      readItems(filters, limit, async (query) => {
        const { tasks, next_cursor } = await unwrap(api.GET("/tasks", { params: { query } }));
        return { items: tasks, next_cursor };
      }),
    );
    // A task with runs of several forms of an actor is in several lists.
    const tasks = [...new Map(found.map((task) => [nameOf(task), task])).values()].slice(0, limit);
    if (args.json) await printJsonLines(tasks);
    else if (tasks.length > 0) await printLine(fittedTable(columns, tasks.map(rowOf)));
    if (tasks.length === 0) note(args, "No tasks.");
  },
});

const nameOf = (task: Task): string => `${task.project} ${taskNames(task)[0]}`;

const rowOf = (task: Task): string[] => [
  taskNames(task)[0] ?? "",
  task.project,
  task.stage,
  escapeControls([...new Set(task.actors.map(actorName))].join(", ")),
  String(task.runs),
  String(task.versions),
  `$${task.cost_equiv.toFixed(2)}`,
  formatAge(Math.max(0, Date.now() - Date.parse(task.opened_at ?? task.last_event_at))),
  escapeControls(task.title ?? ""),
];
