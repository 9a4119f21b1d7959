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
