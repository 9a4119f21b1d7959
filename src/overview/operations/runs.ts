/** Operations on one run, with all that belongs to it. */

import { operationOf } from "../../core/operation.ts";
import { GivenBrief, RecordedBrief, RunPath } from "../../feed/runs/schema.ts";
import { AssetPath } from "../../library/assets/requests.ts";
import type { OverviewContext } from "../context.ts";
import { getAssetRun as loadAssetRun } from "../runs/asset-run.ts";
import { getRun as loadRun } from "../runs/run-detail.ts";
import { recordBrief } from "../runs/run-memory.ts";
import { RunDetail } from "../runs/schema.ts";
import { runText } from "../runs/text.ts";
import { loadBoard, listTasks as loadTasks } from "../tasks/list.ts";
import { BoardQuery, TaskBoard, TaskPage, TasksQuery } from "../tasks/schema.ts";
import { rejectedUsage } from "../usage/rejected.ts";
import { RejectedUsage, RejectedUsageQuery } from "../usage/rejected-schema.ts";

const operation = operationOf<OverviewContext>("runs");

export const getRun = operation({
  id: "getRun",
  summary: "Get a run",
  description: "A run with its events and attempts, and what it started, made, and was told.",
  scope: "feed:read",
  http: { method: "GET", path: "/runs/{id}", errors: [404] },
  tool: { name: "svc_run", title: "Get a run", text: runText },
  input: RunPath,
  output: RunDetail,
  run: loadRun,
});

export const addRunBrief = operation({
  id: "addRunBrief",
  summary: "Report a cached brief",
  description:
    "Reports that a run was given a brief which its client had fetched and cached, so that the run shows " +
    "what it was told. Fetch the brief with a `run_id` that starts with `brief-cache:`, and pass that as " +
    "`from`.",
  scope: "memory:read",
  http: { method: "POST", path: "/runs/{id}/briefs", errors: [404] },
  input: GivenBrief,
  output: RecordedBrief,
  run: recordBrief,
});

export const getAssetRun = operation({
  id: "getAssetRun",
  summary: "Get the run that made an asset",
  description:
    "The run that the asset names or, without one, the run that its creator had on its task when it was " +
    "uploaded.",
  scope: "feed:read",
  http: { method: "GET", path: "/assets/{id}/run", errors: [404] },
  input: AssetPath,
  output: RunDetail,
  run: loadAssetRun,
});

export const listTasks = operation({
  id: "listTasks",
  summary: "List tasks",
  description:
    "The issues and pull requests that runs worked on: title, state, runs, versions, cost. A pull request " +
    "counts for its issue. Newest event of a run first.",
  scope: "feed:read",
  http: { method: "GET", path: "/tasks", errors: [404] },
  input: TasksQuery,
  output: TaskPage,
  run: loadTasks,
});

export const getTaskBoard = operation({
  id: "getTaskBoard",
  summary: "Get the board of tasks",
  description:
    "The tasks of the newest 2,000 runs and those that are not finished, by stage, the one with the newest " +
    "run first.",
  scope: "feed:read",
  http: { method: "GET", path: "/tasks/board", errors: [404] },
  input: BoardQuery,
  output: TaskBoard,
  run: loadBoard,
});

export const getRejectedUsage = operation({
  id: "getRejectedUsage",
  tag: "usage",
  summary: "Report the cost of rejected work",
  description:
    "Runs, tokens and cost of the versions that were rejected in a range of UTC days. The runs of a " +
    "version are the one that it names or, without one, those that its author started on its task after " +
    "the version before it. Each run counts once. With `Accept: text/csv`, the rows as CSV.",
  scope: "feed:read",
  http: { method: "GET", path: "/usage/rejected", csv: "rows", errors: [404] },
  input: RejectedUsageQuery,
  output: RejectedUsage,
  run: rejectedUsage,
});
