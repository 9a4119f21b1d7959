/** Where a task stands: its column on the board, and when something last happened to it. */

import type { Micros } from "../../core/lib/time.ts";
import type { TaskRow } from "../rows.ts";
import type { ListedTask, TaskStage } from "./schema.ts";

export type TaskHistory = Pick<
  TaskRow,
  "running" | "waiting" | "state" | "runs" | "last_event_at" | "made_at" | "rejected_at" | "issue_at"
> & { pulls: Pick<TaskRow["pulls"][number], "state" | "at">[] };

/**
 * Where a task stands. The first that holds decides:
 *
 * 1. `running`: a run is open.
 * 2. `waiting`: a version waits for a review.
 * 3. `rejected`: a version is rejected and not replaced, and was rejected after the task was done last.
 * 4. `waiting`: a pull request is open, and was opened after the task was done last.
 * 5. `merged`, `closed`: the task is done, with or without a merge, and its issue was not opened again.
 * 6. `requested`: there was no work since the issue was opened.
 * 7. `stopped`: there was.
 *
 * A task is done at the newest of its merges and the closing of its issue. So a merge settles the rejections
 * before it, and a rejection after it asks for work again.
 */
export function stageOf(task: TaskHistory): TaskStage {
  const { state, issue_at, made_at, pulls } = task;
  const merged = newest(pulls, "merged");
  const done = state === "closed" ? Math.max(merged, issue_at ?? newest(pulls, "closed")) : merged;
  const isOpenedAgain = state === "open" && (issue_at ?? 0) > done;
  const worked = Math.max(task.runs > 0 ? task.last_event_at : 0, made_at ?? 0);
  if (task.running > 0) return "running";
  if (task.waiting > 0) return "waiting";
  if ((task.rejected_at ?? 0) > done) return "rejected";
  if (newest(pulls, "open") > done) return "waiting";
  if (done > 0 && !isOpenedAgain) return merged > 0 ? "merged" : "closed";
  return worked > (issue_at ?? 0) ? "stopped" : "requested";
}

/** The newest of what is known of a task, beside its runs. */
export const activeAt = ({ opened, issue_at, made_at, pulls }: TaskRow): Micros =>
  Math.max(opened ?? 0, issue_at ?? 0, made_at ?? 0, ...pulls.map(({ at }) => at ?? 0));

/** When the pull requests that are in a state came into it last; 0 without one. */
const newest = (pulls: TaskHistory["pulls"], wanted: ListedTask["state"]): Micros =>
  Math.max(0, ...pulls.map(({ state, at }) => (state === wanted ? (at ?? 0) : 0)));
