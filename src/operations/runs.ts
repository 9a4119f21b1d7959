import { AssetPath } from "../assets/requests.ts";
import { getAssetRun as loadAssetRun } from "../runs/asset-run.ts";
import { getRun as loadRun, listRuns as loadRuns } from "../runs/runs.ts";
import { RunDetail, RunPage, RunPath, RunsQuery } from "../runs/schema.ts";
import { runsText, runText } from "../runs/text.ts";
import { operation } from "./operation.ts";

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
