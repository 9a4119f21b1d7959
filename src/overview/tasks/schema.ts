/** Schemas of the list of tasks. */

import { type Static, Type } from "@sinclair/typebox";
import { Cursor } from "../../core/lib/cursor.ts";
import {
  Actor,
  Choice,
  Cost,
  Count,
  DateTime,
  Limit,
  Line,
  NextCursor,
  Nullable,
  PersonId,
  ShownTaskKey,
  Slug,
  TaskNumber,
  TeamName,
} from "../../core/wire.ts";

export const taskStates = ["open", "closed", "merged"] as const;
const State = Choice(taskStates);

/** In the order of the board. */
export const taskStages = [
  "requested",
  "running",
  "waiting",
  "rejected",
  "stopped",
  "merged",
  "closed",
] as const;
const Stage = Choice(taskStages, {
  description:
    "`requested`: no work since the issue was opened. `running`: a run is open. `waiting`: a version or a " +
    "pull request waits for a review. `rejected`: a version is rejected, and neither replaced nor followed " +
    "by a merge. `stopped`: none of these.",
});
export type TaskStage = Static<typeof Stage>;

export const taskSorts = ["recent", "cost", "runs", "age"] as const;

export const ListedTask = Type.Object(
  {
    project: Slug,
    issue: Nullable(TaskNumber),
    task: ShownTaskKey,
    pr: Nullable({ ...TaskNumber, description: "A pull request that belongs to no issue." }),
    title: Nullable(Type.String({ description: "As its opening says.", examples: ["Draw the coast"] })),
    state: Nullable({ ...State, description: "As its forge says; only a pull request is `merged`." }),
    stage: Stage,
    pulls: Type.Array(Type.Object({ number: TaskNumber, state: Nullable(State) }), {
      description: "Its pull requests, the lowest number first.",
    }),
    actors: Type.Array(Actor, { description: "Who ran it, sorted." }),
    models: Type.Array(Type.String(), { description: "Models of its runs, sorted." }),
    opened_at: Nullable(DateTime({ description: "When it was opened last, if svc knows." })),
    runs: Count("Runs for it and for the pull requests of the issue.", 3),
    runs_waiting: Count("Of them, those whose agent asks for permission or input.", 1),
    versions: Count("Versions of assets made for it.", 2),
    cost_equiv: Cost("Cost of its runs in USD.", 1.26),
    last_event_at: DateTime({ description: "When the newest event of its runs was appended." }),
  },
  {
    $id: "Task",
    description:
      "An issue or task of a tracker with its pull requests, or a pull request that belongs to no issue.",
  },
);
export type ListedTask = Static<typeof ListedTask>;

export const TasksQuery = Type.Object({
  project: Type.Optional(Slug),
  state: Type.Optional(State),
  stage: Type.Optional(Stage),
  actor: Type.Optional(Actor),
  model: Type.Optional(Line(128)),
  team: Type.Optional(TeamName),
  person: Type.Optional(PersonId),
  sort: Type.Optional(
    Choice(taskSorts, {
      description:
        "`recent`, the default: the newest run first. `age`: the first opened first. `cost` and `runs`: " +
        "the highest first.",
    }),
  ),
  limit: Limit(50),
  cursor: Type.Optional(Cursor("(?:/[a-z0-9-]+/-?[0-9]+/[0-9]+)?")),
});
export type TaskSort = (typeof taskSorts)[number];
export type TasksQuery = Static<typeof TasksQuery>;

export const TaskPage = Type.Object(
  {
    tasks: Type.Array(ListedTask),
    count: Type.Integer({ minimum: 0, description: "Number of tasks on this page.", examples: [1] }),
    next_cursor: NextCursor,
  },
  { $id: "TaskPage", description: "A page of tasks." },
);
export type TaskPage = Static<typeof TaskPage>;

export const BoardQuery = Type.Object({
  project: Type.Optional(Slug),
  limit: Limit(20),
});
export type BoardQuery = Static<typeof BoardQuery>;

export const TaskBoard = Type.Object(
  {
    columns: Type.Array(
      Type.Object({
        stage: Stage,
        count: Count("Tasks in this stage.", 3),
        tasks: Type.Array(ListedTask),
      }),
    ),
  },
  { $id: "TaskBoard", description: "The tasks by their stage." },
);
export type TaskBoard = Static<typeof TaskBoard>;
