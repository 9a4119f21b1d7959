/** Takes the rows of tasks back out of a database: as it was before it had them. */
import type { Dialect } from "./database.ts";

const triggers = [
  ...["run", "asset", "issue", "pull"].flatMap((subject) =>
    ["added", "changed", "deleted"].map((change) => `drop trigger tasks_${subject}_${change}`),
  ),
  "drop trigger tasks_run_moved",
  "drop trigger tasks_asset_moved",
  "drop trigger tasks_event_deleted",
];
const functions = [
  ...["mark_tasks", "mark_tasks_of_sets", "mark_task_before", "mark_issues", "mark_pull_request"],
  ...["add_task_counts", "take_task_counts"],
].map((name) => `drop function ${name} cascade`);

export const dropTasks = (dialect: Dialect): string[] => [
  ...(dialect === "sqlite" ? triggers : functions),
  "drop table tasks",
  "drop table task_counts",
  "drop table stale_tasks",
];
