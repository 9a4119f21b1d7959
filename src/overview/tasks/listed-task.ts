/** A task as the API returns it. */

import { fromMicros } from "../../core/lib/time.ts";
import { issueOnly } from "../../core/task-key.ts";
import type { Event } from "../../feed/schema.ts";
import { taskTitle } from "../../feed/tasks/task-title.ts";
import type { TaskRow } from "../rows.ts";
import type { ListedTask } from "./schema.ts";
import { activeAt, stageOf } from "./stage.ts";

export function toTask(row: TaskRow): ListedTask {
  const { project, issue, task, pr, state, pulls, actors, models, runs, versions, cost_equiv, opening } = row;
  const opened = opening === null ? null : (JSON.parse(opening) as Event);
  return {
    project,
    issue: issueOnly(issue),
    task,
    pr,
    title: opened && taskTitle(opened.summary),
    state,
    stage: stageOf(row),
    pulls: pulls.map(({ number, state }) => ({ number, state })),
    actors,
    models,
    opened_at: opened?.ts ?? null,
    runs,
    runs_waiting: row.runs_waiting,
    versions,
    cost_equiv,
    last_event_at: fromMicros(row.last_event_at || activeAt(row)),
  };
}
