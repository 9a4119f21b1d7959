/** Schemas of the list of tasks. */

import { type Static, Type } from "@sinclair/typebox";
import { Cursor } from "../../core/lib/cursor.ts";
import { Choice, Cost, Count, DateTime, Limit, Nullable, Slug, TaskNumber } from "../../core/wire.ts";

const taskStates = ["open", "closed", "merged"] as const;
const State = Choice(taskStates);

export const ListedTask = Type.Object(
  {
    project: Slug,
    issue: Nullable(TaskNumber),
    pr: Nullable({ ...TaskNumber, description: "A pull request that belongs to no issue." }),
    title: Nullable(Type.String({ description: "As its opening says.", examples: ["Draw the coast"] })),
    state: Nullable({ ...State, description: "As its forge says; only a pull request is `merged`." }),
    runs: Count("Runs for it and for the pull requests of the issue.", 3),
    versions: Count("Versions of assets made for it.", 2),
    cost_equiv: Cost("Cost of its runs in USD.", 1.26),
    last_event_at: DateTime({ description: "When the newest event of its runs was appended." }),
  },
  {
    $id: "Task",
    description: "An issue with its pull requests, or a pull request that belongs to no issue.",
  },
);
export type ListedTask = Static<typeof ListedTask>;

export const TasksQuery = Type.Object({
  project: Type.Optional(Slug),
  state: Type.Optional(State),
  limit: Limit(50),
  cursor: Type.Optional(Cursor()),
});
export type TasksQuery = Static<typeof TasksQuery>;

export const TaskPage = Type.Object(
  {
    tasks: Type.Array(ListedTask),
    count: Type.Integer({ minimum: 0, description: "Number of tasks on this page.", examples: [1] }),
    next_cursor: Nullable(
      Type.String({
        description:
          "Pass as `cursor` for the next, older page; null on the last page. A page may hold fewer tasks " +
          "than `limit` and have a next one.",
      }),
    ),
  },
  { $id: "TaskPage", description: "A page of tasks, newest event of a run first." },
);
export type TaskPage = Static<typeof TaskPage>;
