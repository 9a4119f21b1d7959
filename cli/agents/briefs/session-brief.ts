/**
 * The brief of a session that starts: fresh, or saved where the server does not answer in time. `svc hook`
 * imports this: it imports only small files.
 */
import { defaultTaskOfBranch, taskNamed } from "../../../src/feed/projects/default-branch-task.ts";
import {
  contextText,
  currentAge,
  missingBrief,
} from "../../../src/integrations/agent-hooks/session-context.ts";
import { withAnchorStates } from "../../repository/anchor-states.ts";
import type { Connection } from "../connections.ts";
import { type CachedBrief, readBrief } from "./brief-cache.ts";
import { type BriefedSession, briefKey, fetchBrief } from "./fetch-brief.ts";

/**
 * When to stop waiting for the server, in milliseconds since the process started. A TLS connection with 80 ms
 * each way takes four round trips, 640 ms, before it answers (test/faults/fresh-brief.test.ts).
 */
const answerByMs = 1_500;

interface SessionContext {
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
  { branch, folder }: { branch: string | null; folder: string },
  run_id: string,
  elapsedMs = performance.now(),
): Promise<SessionContext> {
  const { age, brief } = await newestBrief(connection, { branch, run_id }, elapsedMs);
  const text = brief ? withStates(brief, folder) : undefined;
  return { text: contextText(age, run_id, text), brief };
}

const withStates = ({ text, anchors }: CachedBrief, folder: string): string =>
  anchors && anchors.length > 0 ? withAnchorStates(text, anchors, folder) : text;

async function newestBrief(
  connection: Connection,
  session: BriefedSession,
  elapsedMs: number,
): Promise<{ age: string; brief: CachedBrief | null }> {
  try {
    const brief = await askServer(connection, session, waitMs() - elapsedMs);
    return { age: currentAge(brief.at), brief };
  } catch (error) {
    const fault = (error as Error).message;
    const brief = readBrief(briefKey(connection, session.branch)) ?? readBrief(briefKey(connection, null));
    return { age: brief ? savedAge(brief, fault) : missingBrief(fault), brief };
  }
}

/** SVC_HOOK_WAIT_MS, if it is a number of milliseconds up to a minute. */
export function waitMs(text = process.env.SVC_HOOK_WAIT_MS): number {
  const chosen = /^\d{1,5}$/.test(text ?? "") ? Number(text) : answerByMs;
  return Math.min(chosen, 60_000);
}

/** The task that SVC_TASK names; null without one. */
export const chosenTask = () => taskNamed(process.env.SVC_TASK ?? "");

/** @throws Error that says why there is no answer, after at most `timeLeft` milliseconds */
async function askServer(
  connection: Connection,
  session: BriefedSession,
  timeLeft: number,
): Promise<CachedBrief> {
  // The engine for a pattern of its own is too large for a hook: the brief of the project has the newest
  // rejection too.
  const { branch } = session;
  const isDefault = connection.branch_pattern === null && branch !== null;
  const task = chosenTask() ?? (isDefault ? defaultTaskOfBranch(branch) : null);
  const deadline = AbortSignal.timeout(Math.max(0, timeLeft));
  return fetchBrief(connection, isDefault ? branch : null, task, deadline, session);
}

const savedAge = ({ at }: CachedBrief, fault: string): string =>
  `This brief from svc, the shared memory of this project, is ${ageText(Date.now() - at)} old: ${fault}. ` +
  "Newer decisions and rejections are missing from it; call svc_brief for the current one.";

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
