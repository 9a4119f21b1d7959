/** The brief that a session starts with: the server's own, else the newest one that was saved before. */
import { defaultTaskOfBranch } from "../../../src/feed/projects/default-branch-task.ts";
import type { Connection } from "../connections.ts";
import { type CachedBrief, readBrief } from "./brief-cache.ts";
import { briefKey, fetchBrief } from "./fetch-brief.ts";

/**
 * When to stop waiting for the server, in milliseconds since the process started. A TLS connection with 80 ms
 * each way takes four round trips, 640 ms, before it answers (test/faults/fresh-brief.test.ts).
 */
const answerByMs = 1_500;

export interface SessionContext {
  /** What the agent reads. */
  text: string;
  /** The brief in it; null if there is none. */
  brief: CachedBrief | null;
}

/**
 * Returns what a session on a branch reads: the brief as it is now, or without an answer in time the one that
 * was saved for the branch or for the project. The first line says how old it is.
 * @param run_id the run of the session
 * @param elapsedMs since the process started
 */
export async function sessionContext(
  connection: Connection,
  branch: string | null,
  run_id: string,
  elapsedMs = performance.now(),
): Promise<SessionContext> {
  const { age, brief } = await newestBrief(connection, branch, elapsedMs);
  const run =
    `Your run is ${run_id}, and svc already reports its start and end. Pass it as \`run_id\` to the tools ` +
    "of svc, so that what you make belongs to it.";
  return { text: [age, run, ...(brief ? [brief.text] : [])].join("\n\n"), brief };
}

async function newestBrief(
  connection: Connection,
  branch: string | null,
  elapsedMs: number,
): Promise<{ age: string; brief: CachedBrief | null }> {
  try {
    const brief = await askServer(connection, branch, waitMs() - elapsedMs);
    return { age: currentAge(brief), brief };
  } catch (error) {
    const fault = (error as Error).message;
    const brief = readBrief(briefKey(connection, branch)) ?? readBrief(briefKey(connection, null));
    return { age: brief ? savedAge(brief, fault) : missing(fault), brief };
  }
}

/** SVC_HOOK_WAIT_MS, if it is a number of milliseconds up to a minute. */
function waitMs(text = process.env.SVC_HOOK_WAIT_MS): number {
  const chosen = /^\d{1,5}$/.test(text ?? "") ? Number(text) : answerByMs;
  return Math.min(chosen, 60_000);
}

/** @throws Error that says why there is no answer, after at most `timeLeft` milliseconds */
async function askServer(
  connection: Connection,
  branch: string | null,
  timeLeft: number,
): Promise<CachedBrief> {
  // The engine for a pattern of its own is too large for a hook: the brief of the project has the newest
  // rejection too.
  const isDefault = connection.branch_pattern === null && branch !== null;
  const task = isDefault ? defaultTaskOfBranch(branch) : null;
  const deadline = AbortSignal.timeout(Math.max(0, timeLeft));
  return fetchBrief(connection, isDefault ? branch : null, task, deadline);
}

const currentAge = ({ at }: CachedBrief): string =>
  `Brief from svc, the shared memory of this project, as of ${new Date(at).toISOString()}.`;

const savedAge = ({ at }: CachedBrief, fault: string): string =>
  `This brief from svc, the shared memory of this project, is ${ageText(Date.now() - at)} old: ${fault}. ` +
  "Newer decisions and rejections are missing from it; call svc_brief for the current one.";

const missing = (fault: string): string =>
  `No brief from svc, the shared memory of this project: ${fault}. Call svc_brief for the decisions and ` +
  "rejections that apply to this work.";

function ageText(ms: number): string {
  const minutes = Math.max(0, Math.floor(ms / 60_000));
  const [count, unit] =
    minutes < 60
      ? [minutes, "minute"]
      : minutes < 24 * 60
        ? [Math.floor(minutes / 60), "hour"]
        : [Math.floor(minutes / (24 * 60)), "day"];
  return count === 0 ? "less than a minute" : `${count} ${unit}${count === 1 ? "" : "s"}`;
}
