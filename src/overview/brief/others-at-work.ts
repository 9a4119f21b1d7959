/** Who else works on the task, the branch, or the files of a brief. */

import { escapeControls } from "../../core/lib/strings/display-text.ts";
import { minuteOf } from "../../core/lib/time.ts";
import { taskWords } from "../../core/task-key.ts";
import type { RunRow } from "../../feed/rows.ts";
import { lostBefore, taskIssue } from "../../feed/runs/runs.ts";
import { filesText } from "../../feed/runs/text.ts";
import type { OverviewContext } from "../context.ts";
import type { OverviewReads } from "../port.ts";
import type { BriefQuery } from "./schema.ts";

const listedMax = 10;
/** Running runs of a project that are read to find those. */
const readMax = 500;
/** The newest runs of a task, whose files are those that a session of it will change. */
const attemptsMax = 20;

export type Work = Pick<BriefQuery, "project" | "branch" | "files" | "run_id" | "own_run"> & {
  issue: number | undefined;
};
type WorkContext = Pick<OverviewContext, "config" | "now"> & {
  data: Pick<OverviewReads, "runFiles" | "runs">;
};

/**
 * Lines of running runs of others on the same issue or branch, or that changed a file which the caller or its
 * task changed; newest event first. Subagents are left out.
 */
export async function othersAtWork(ctx: WorkContext, work: Work): Promise<string[]> {
  const { issue, branch, own } = { ...work, own: work.own_run ?? work.run_id };
  const open = await runsAtWork(ctx, work.project);
  const others = open.filter(({ id, parent }) => id !== own && parent === null);
  if (others.length === 0) return [];
  const isSameWork = (run: RunRow) =>
    (issue !== undefined && taskIssue(run) === issue) || (branch !== undefined && run.branch === branch);
  const before = await earlierRuns(ctx, work, open.filter(isSameWork));
  const files = await ctx.data.runFiles(
    work.project,
    [...before, ...open].map(({ id }) => id),
  );
  const pathsOf = ({ id }: Pick<RunRow, "id">) => (files.get(id) ?? []).map(([path]) => path);
  const expected = new Set([...(work.files ?? []), ...before.flatMap(pathsOf)]);
  return others
    .map((run) => {
      const touched = pathsOf(run);
      const shared = touched.filter((path) => expected.has(path));
      const isNamed = isSameWork(run) || shared.length > 0;
      return { run, isNamed, paths: [...new Set([...shared, ...touched])] };
    })
    .filter(({ isNamed }) => isNamed)
    .slice(0, listedMax)
    .map(({ run, paths }) => workLine(run, paths));
}

/** The runs of a project whose agents are at work, newest event first; those that wait for an answer lead. */
async function runsAtWork(ctx: WorkContext, project: string): Promise<RunRow[]> {
  const of = { project, withoutPipelines: true, limit: readMax } as const;
  const [waiting, running] = await Promise.all([
    ctx.data.runs(null, { ...of, status: "waiting" }),
    ctx.data.runs(null, { ...of, status: "running", eventAfter: lostBefore(ctx) - 1 }),
  ]);
  return [...waiting.runs, ...running.runs];
}

/** The run itself, and runs of the same task or branch. */
async function earlierRuns(
  { data }: WorkContext,
  { project, issue, own_run, run_id }: Work,
  sameWork: readonly RunRow[],
): Promise<Pick<RunRow, "id">[]> {
  const own = own_run ?? run_id;
  const attempts =
    issue === undefined ? [] : (await data.runs(null, { project, issue, limit: attemptsMax })).runs;
  return [...(own === undefined ? [] : [{ id: own }]), ...attempts, ...sameWork];
}

function workLine(run: RunRow, paths: readonly string[]): string {
  const { id, actor, branch, status, started_at } = run;
  const what = [taskWords({ issue: taskIssue(run), task: run.task }), branch && `branch ${branch}`]
    .filter(Boolean)
    .join(", ");
  const since = minuteOf(started_at);
  const touched = paths.length > 0 ? `, touched ${filesText(paths)}` : "";
  const asks = status === "waiting" ? "; it asks for permission or input" : "";
  const on = what === "" ? "is at work" : `works on ${what}`;
  return `- ${escapeControls(`${actor} ${on} since ${since} (run ${id})${touched}`)}${asks}`;
}
