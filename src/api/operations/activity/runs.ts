import { listRuns as loadRuns } from "../../../feed/runs/runs.ts";
import { GivenBrief, RecordedBrief, RunPage, RunPath, RunsQuery } from "../../../feed/runs/schema.ts";
import { runsText } from "../../../feed/runs/text.ts";
import { AssetPath } from "../../../library/assets/requests.ts";
import { getAssetRun as loadAssetRun } from "../../../overview/runs/asset-run.ts";
import { getRun as loadRun } from "../../../overview/runs/run-detail.ts";
import { recordBrief } from "../../../overview/runs/run-memory.ts";
import { RunDetail } from "../../../overview/runs/schema.ts";
import { runText } from "../../../overview/runs/text.ts";
import { operation } from "../operation.ts";

export const listRuns = operation({
  id: "listRuns",
  tag: "runs",
  summary: "List runs",
  description:
    "What agents did for a task, kept from their events: status, tokens, cost, result. Newest event first.",
  scope: "feed:read",
  http: { method: "GET", path: "/runs" },
  tool: { name: "svc_runs", title: "List runs", text: runsText },
  input: RunsQuery,
  output: RunPage,
  run: loadRuns,
});

export const getRun = operation({
  id: "getRun",
  tag: "runs",
  summary: "Get a run",
  description:
    "One run with its events, the runs it started, the attempts before and after, what it made, and " +
    "what it was told.",
  scope: "feed:read",
  http: { method: "GET", path: "/runs/{id}", errors: [404] },
  tool: { name: "svc_run", title: "Get a run", text: runText },
  input: RunPath,
  output: RunDetail,
  run: loadRun,
});

export const addRunBrief = operation({
  id: "addRunBrief",
  tag: "runs",
  summary: "Report a cached brief",
  description:
    "Reports that a run was given a brief which its client had fetched and cached, so that the run shows " +
    "what it was told. Fetch the brief with a `run_id` that starts with `brief-cache:`, and pass that as " +
    "`from`.",
  scope: "memory:read",
  writes: true,
  http: { method: "POST", path: "/runs/{id}/briefs", errors: [404] },
  input: GivenBrief,
  output: RecordedBrief,
  run: recordBrief,
});

export const getAssetRun = operation({
  id: "getAssetRun",
  tag: "runs",
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
