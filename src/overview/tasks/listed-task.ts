/** A task as the API returns it, with its stage: its column on the board. */

import { fromMicros } from "../../core/lib/time.ts";
import type { Event } from "../../feed/schema.ts";
import { taskTitle } from "../../feed/tasks/task-title.ts";
import type { TaskRow } from "../rows.ts";
import type { ListedTask, TaskStage } from "./schema.ts";

export function toTask(row: TaskRow): ListedTask {
  const {
    opening,
    listed_at: _,
    running: __,
    waiting: ___,
    rejected: ____,
    teams: _____,
    people: ______,
    ...task
  } = row;
  const opened = opening === null ? null : (JSON.parse(opening) as Event);
  return {
    ...task,
    title: opened && taskTitle(opened.summary),
    stage: stageOf(row),
    opened_at: opened?.ts ?? null,
    last_event_at: fromMicros(row.last_event_at),
  };
}

/** Work in hand comes before the outcome: a merged task whose next version waits for a review is `waiting`. */
function stageOf({ running, waiting, state, pulls, rejected, runs, versions }: TaskRow): TaskStage {
  const hasPull = (wanted: TaskRow["state"]) => pulls.some((pull) => pull.state === wanted);
  if (running > 0) return "running";
  if (waiting > 0) return "waiting";
  if (state === "merged" || hasPull("merged")) return "merged";
  if (state === "closed") return "closed";
  if (rejected > 0) return "rejected";
  if (hasPull("open")) return "waiting";
  return runs + versions === 0 ? "requested" : "stopped";
}
