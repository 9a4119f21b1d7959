/** Fetches a brief into the cache. `svc hook` imports this: it imports only small files. */
import { cachedBriefPrefix } from "../../../src/runs/cached-brief-prefix.ts";
import type { Connection } from "../connections.ts";
import { type BriefKey, type CachedBrief, readBrief, writeBrief } from "./brief-cache.ts";

/** The key of the brief for a branch of a connection's project. */
export const briefKey = ({ server, project }: Connection, branch: string | null): BriefKey => ({
  ...{ server, project, branch },
});

/**
 * Fetches the brief for a branch, and caches it. The server stores what it answers under the run id of the
 * cache, so that a run which is given the brief later can name it by its hash.
 *
 * @param task the issue of the branch
 * @returns null if the server does not answer with a brief before `signal` aborts
 */
export async function fetchBrief(
  connection: Connection,
  branch: string | null,
  task: { issue: number } | null,
  signal: AbortSignal,
): Promise<CachedBrief | null> {
  const { server, project, token } = connection;
  const key = briefKey(connection, branch);
  const from = readBrief(key)?.from ?? `${cachedBriefPrefix}${crypto.randomUUID()}`;
  const url = new URL(`${server}/api/v1/projects/${project}/brief`);
  url.searchParams.set("run_id", from);
  if (task) url.searchParams.set("issue", String(task.issue));
  try {
    const headers = { authorization: `Bearer ${token}` };
    const response = await fetch(url, { headers, redirect: "manual", signal });
    const { text } = (response.ok ? await response.json() : {}) as { text?: string };
    if (typeof text !== "string") return null;
    const hash = new Bun.CryptoHasher("sha256").update(text).digest("hex");
    const brief = { text, hash, from, at: Date.now() };
    writeBrief(key, brief);
    return brief;
  } catch {
    return null;
  }
}
