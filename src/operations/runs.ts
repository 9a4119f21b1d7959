import { getRun as loadRun, listRuns as loadRuns } from "../runs/runs.ts";
import { RunDetail, RunPage, RunPath, RunsQuery } from "../runs/schema.ts";
import { operation } from "./operation.ts";

export const listRuns = operation({
  id: "listRuns",
  tag: "runs",
  summary: "List runs",
  description:
    "An agent's work on a task, kept from its events: status, tokens, cost, what came out. Newest " +
    "event first.",
  scope: "feed:read",
  http: { method: "GET", path: "/runs" },
  input: RunsQuery,
  output: RunPage,
  run: loadRuns,
});

export const getRun = operation({
  id: "getRun",
  tag: "runs",
  summary: "Get a run",
  description:
    "One run with its events, the runs it started, the attempts before and after on its task, what " +
    "it made, and what it was told.",
  scope: "feed:read",
  http: { method: "GET", path: "/runs/{id}", errors: [404] },
  input: RunPath,
  output: RunDetail,
  run: loadRun,
});
