/** The brief that a session starts with, within the time that a hook may take. */
import type { Connection } from "../connections.ts";
import { type CachedBrief, readBrief } from "./brief-cache.ts";
import { briefKey, fetchBrief } from "./fetch-brief.ts";

/** A brief of the cache that is newer is given without asking the server. */
const freshMs = 10_000;

/**
 * When to stop waiting for the server, in milliseconds since the process started: of the 50 ms of a hook this
 * leaves 20 for the start of the executable before its clock runs, the spool, and the exit.
 */
const answerByMs = 30;
/** With less time than this a request is not worth its start. */
const requestMs = 4;

/**
 * Returns the brief for a session on a branch: a new one if the server answers in time, else the one that the
 * sender cached for the branch or for the project; null if there is none.
 */
export async function sessionBrief(
  connection: Connection,
  branch: string | null,
): Promise<CachedBrief | null> {
  const ofBranch = readBrief(briefKey(connection, branch));
  if (ofBranch && Date.now() - ofBranch.at < freshMs) return ofBranch;
  const timeLeft = answerByMs - performance.now();
  // A pattern of its own takes longer to compile than there is time for: the sender fetches that brief.
  const canAsk = timeLeft >= requestMs && (connection.branch_pattern === null || branch === null);
  const fetched = canAsk ? await fetchBrief(connection, branch, AbortSignal.timeout(timeLeft)) : null;
  return fetched ?? ofBranch ?? readBrief(briefKey(connection, null));
}

/** The text that the agent reads: the brief, and how old it is if the server did not answer. */
export const sessionContext = ({ text, at }: CachedBrief): string =>
  `Brief from svc, the shared memory of this project, as of ${new Date(at).toISOString()}.\n\n${text}`;
