/** Fetches the checks of projects, and the briefs that sessions start with if the server does not answer. */
import { taskOfBranch } from "../../../src/feed/projects/branch-task.ts";
import { agentHooks } from "../../../src/integrations/agent-hooks/hooked-agents.ts";
import { deleteOldChecks, fetchChecks, readChecks } from "../../checks/saved-checks.ts";
import { type Connection, readConnections } from "../connections.ts";
import { deleteOldAnswers } from "../saved-answers.ts";
import { markFolders } from "../session-marks.ts";
import type { SpoolItem } from "../spool/spool.ts";
import { deleteOldBriefs, readBrief } from "./brief-cache.ts";
import { briefKey, fetchBrief } from "./fetch-brief.ts";

const requestMs = 10_000;
/** What is newer is not fetched again. */
const freshMs = 5_000;
const branchesMax = 8;

/**
 * Fetches the briefs for the branches of sessions that were reported, and of their projects.
 * @throws if the file of connections is damaged
 */
export async function refreshBriefs(sent: readonly SpoolItem[]): Promise<void> {
  for (const connection of readConnections()) {
    const branches = sent
      .filter(
        (item) =>
          item.server === connection.server &&
          item.connection?.agent === connection.agent &&
          item.connection.folder === connection.folder,
      )
      .map(({ branch }) => branch);
    if (branches.length > 0) await refreshConnection(connection, branches);
  }
}

/**
 * Fetches the brief of a connection's project, and those for the newest of the branches. A server that gives
 * none, or a folder that cannot be written, leaves the cache as it is.
 */
export async function refreshConnection(
  connection: Connection,
  branches: readonly (string | null)[] = [],
): Promise<void> {
  const hooks = Object.entries(agentHooks).find(([agent]) => agent === connection.agent)?.[1];
  const place = { server: connection.server, project: connection.project };
  if (!hooks) return;
  if (hooks.checks && !readChecks(place, freshMs))
    await fetchChecks(place, connection.token, AbortSignal.timeout(requestMs));
  const newest = [...new Set(branches.toReversed())].slice(0, branchesMax);
  for (const branch of new Set([...newest, null])) {
    const cached = readBrief(briefKey(connection, branch));
    if (cached && Date.now() - cached.at < freshMs) continue;
    const task = branch === null ? null : taskOfBranch(branch, { ...connection, task_url: null });
    await fetchBrief(connection, branch, task, AbortSignal.timeout(requestMs)).catch(() => null);
  }
  deleteOldBriefs();
  deleteOldChecks();
  for (const folder of markFolders) deleteOldAnswers(folder);
}
