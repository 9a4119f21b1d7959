/** The brief that a session starts with, within the time that a hook may take. */
import { defaultTaskOfBranch } from "../../../src/projects/default-branch-task.ts";
import type { Connection } from "../connections.ts";
import { type CachedBrief, didNotAnswer, readBrief, rememberNoAnswer } from "./brief-cache.ts";
import { briefKey, fetchBrief } from "./fetch-brief.ts";

/** A brief of the cache that is newer is given without asking the server. */
const freshMs = 10_000;

/**
 * When to stop waiting for the server, in milliseconds since the process started: of the 50 ms of a hook this
 * leaves half for the start of the executable before its clock runs, the spool, and the exit.
 */
const answerByMs = 25;
/** A server that did not answer in time is not waited for again so soon: the sender asks it meanwhile. */
const noAnswerMs = 30_000;
/** With less time than this a request is not worth its start. */
const requestMs = 4;

/**
 * Returns the brief for a session on a branch: a new one if the server answers in time, else the one that the
 * sender cached for the branch or for the project; null if there is none.
 * @param elapsedMs since the process started
 */
export async function sessionBrief(
  connection: Connection,
  branch: string | null,
  elapsedMs = performance.now(),
): Promise<CachedBrief | null> {
  const ofBranch = readBrief(briefKey(connection, branch));
  if (ofBranch && Date.now() - ofBranch.at < freshMs) return ofBranch;
  return (
    (await ask(connection, branch, answerByMs - elapsedMs)) ??
    ofBranch ??
    readBrief(briefKey(connection, null))
  );
}

/** Null without an answer in time, and if the last request had none. */
async function ask(
  connection: Connection,
  branch: string | null,
  timeLeft: number,
): Promise<CachedBrief | null> {
  // The engine for a pattern of its own takes longer to load than there is time for: the sender fetches that
  // brief.
  const canAsk = timeLeft >= requestMs && (connection.branch_pattern === null || branch === null);
  if (!canAsk || didNotAnswer(connection.server, noAnswerMs)) return null;
  const task = branch === null ? null : defaultTaskOfBranch(branch);
  const fetched = await fetchBrief(connection, branch, task, AbortSignal.timeout(timeLeft));
  if (!fetched) rememberNoAnswer(connection.server);
  return fetched;
}

/** The text that the agent reads: how old the brief is, which run the session is, and the brief. */
export const sessionContext = ({ text, at }: CachedBrief, run_id: string): string =>
  [
    `Brief from svc, the shared memory of this project, as of ${new Date(at).toISOString()}.`,
    `Your run is ${run_id}, and svc already reports its start and end. Pass it as \`run_id\` to the tools of ` +
      "svc, so that what you make belongs to it.",
    text,
  ].join("\n\n");
