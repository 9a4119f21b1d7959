/** Who else works on the task or the branch of a brief. */

import { escapeControls } from "../../core/lib/strings/display-text.ts";
import { fromMicros } from "../../core/lib/time.ts";
import { taskWords } from "../../core/task-key.ts";
import type { RunRow } from "../../feed/rows.ts";
import { lostBefore, taskIssue } from "../../feed/runs/runs.ts";
import type { OverviewContext } from "../context.ts";
import type { BriefQuery } from "./schema.ts";

const listedMax = 10;
/** Running runs of a project that are read to find those. */
const readMax = 500;

type Work = Pick<BriefQuery, "project" | "branch" | "run_id" | "own_run"> & { issue: number | undefined };

/** Lines of running runs of others on the same issue or branch, newest event first. Subagents are left out. */
export async function othersAtWork(
  ctx: Pick<OverviewContext, "data" | "config" | "now">,
  { project, issue, branch, run_id, own_run = run_id }: Work,
): Promise<string[]> {
  if (issue === undefined && branch === undefined) return [];
  const of = { project, withoutPipelines: true, limit: readMax } as const;
  const [waiting, running] = await Promise.all([
    ctx.data.runs(null, { ...of, status: "waiting" }),
    ctx.data.runs(null, { ...of, status: "running", eventAfter: lostBefore(ctx) - 1 }),
  ]);
  const isSameWork = (run: RunRow) =>
    (issue !== undefined && taskIssue(run) === issue) || (branch !== undefined && run.branch === branch);
  return [...waiting.runs, ...running.runs]
    .filter((run) => run.id !== own_run && run.parent === null && isSameWork(run))
    .slice(0, listedMax)
    .map(workLine);
}

function workLine(run: RunRow): string {
  const { id, actor, branch, status, started_at } = run;
  const what = [taskWords({ issue: taskIssue(run), task: run.task }), branch && `branch ${branch}`]
    .filter(Boolean)
    .join(", ");
  const since = `${fromMicros(started_at).slice(0, 16).replace("T", " ")} UTC`;
  const asks = status === "waiting" ? "; it asks for permission or input" : "";
  return `- ${escapeControls(`${actor} works on ${what} since ${since} (run ${id})`)}${asks}`;
}
