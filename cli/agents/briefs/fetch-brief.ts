/** Fetches a brief into the cache. `svc hook` imports this: it imports only small files. */
import { cachedBriefPrefix } from "../../../src/core/runs/reported-run.ts";
import type { BranchTask } from "../../../src/feed/projects/default-branch-task.ts";
import type { Anchor } from "../../../src/memory/anchor-schema.ts";
import type { Connection } from "../connections.ts";
import { type BriefKey, type CachedBrief, readBrief, writeBrief } from "./brief-cache.ts";

/** The longest branch that the API takes. */
const branchBytesMax = 255;

/** The session that will be given a brief: others that work on its branch are named. */
export interface BriefedSession {
  run_id: string;
  branch: string | null;
}

/** The key of the brief for a branch of a connection's project. */
export const briefKey = ({ server, project }: Connection, branch: string | null): BriefKey => ({
  server,
  project,
  branch,
});

/**
 * Fetches the brief for a branch, and caches it. The server stores what it answers under the run id of the
 * cache, so that a run which is given the brief later can name it by its hash.
 *
 * @param task that of the branch
 * @throws Error that says why the server gave no brief before `signal` aborts
 */
export async function fetchBrief(
  connection: Connection,
  branch: string | null,
  task: BranchTask | null,
  signal: AbortSignal,
  session?: BriefedSession,
): Promise<CachedBrief> {
  const { server, project, token } = connection;
  const key = briefKey(connection, branch);
  const from = readBrief(key)?.from ?? `${cachedBriefPrefix}${crypto.randomUUID()}`;
  const url = new URL(`${server}/api/v1/projects/${project}/brief`);
  url.searchParams.set("run_id", from);
  for (const [name, value] of Object.entries(task ?? {})) url.searchParams.set(name, String(value));
  if (session) url.searchParams.set("own_run", session.run_id);
  if (session?.branch && Buffer.byteLength(session.branch) <= branchBytesMax)
    url.searchParams.set("branch", session.branch);
  // The text is as old as the question: the server may decide otherwise while the answer travels.
  const at = Date.now();
  const { text, anchors } = await askForBrief(url, token, signal);
  const hash = new Bun.CryptoHasher("sha256").update(text).digest("hex");
  const brief = { text, anchors, hash, from, at };
  saveBrief(key, brief);
  return brief;
}

/** The brief in the answer. @throws Error that says what was wrong with it */
async function askForBrief(
  url: URL,
  token: string,
  signal: AbortSignal,
): Promise<{ text: string; anchors: Anchor[] }> {
  let answer: { status: number; text?: unknown; anchors?: Anchor[] };
  try {
    const headers = { authorization: `Bearer ${token}` };
    const response = await fetch(url, { headers, redirect: "manual", signal });
    const { status, ok } = response;
    answer = { status, ...(ok ? ((await response.json()) as object) : {}) };
  } catch (error) {
    const { name, code } = error as NodeJS.ErrnoException;
    throw new Error(
      signal.aborted
        ? `${url.origin} did not answer in time`
        : `${url.origin} cannot be reached (${code ?? name})`,
    );
  }
  if (typeof answer.text === "string") return { text: answer.text, anchors: answer.anchors ?? [] };
  throw new Error(`${url.origin} answered with the status ${answer.status}`);
}

/** A folder that cannot be written costs the next session its saved brief, not this one what it was told. */
function saveBrief(key: BriefKey, brief: CachedBrief): void {
  try {
    writeBrief(key, brief);
  } catch {}
}
