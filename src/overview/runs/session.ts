/** Where the session of a run is, as far as svc knows, so that a person can answer its agent there. */

import { agents } from "../../core/agents/agents.ts";
import { actorLabel } from "../../core/auth/actor-name.ts";
import type { Caller } from "../../core/auth/caller.ts";
import { listFullNames } from "../../feed/filter-values.ts";
import { requireRun } from "../../feed/runs/runs.ts";
import type { RunPath } from "../../feed/runs/schema.ts";
import type { OverviewContext } from "../context.ts";

export interface RunSession {
  agent: string;
  id: string;
  branch: string | null;
  /** `owner/name`; null if its project has gone. */
  repo: string | null;
  /** The full name, or the id, of the person whose work it is; null if unknown or hidden. */
  person: string | null;
  /** What returns to it in a terminal; null for an agent without such a command. */
  command: string | null;
}

/** What a shell takes as it is. */
const plainId = /^[\w.:-]+$/;

/**
 * A subagent is answered in the session that started it.
 * @throws 404 for an unknown run
 */
export async function loadSession(
  ctx: Pick<OverviewContext, "config" | "data">,
  path: RunPath,
  caller: Caller,
): Promise<RunSession> {
  const run = await requireRun(ctx, path, caller);
  const [project, names] = await Promise.all([
    ctx.data.project(null, run.project),
    listFullNames(ctx, caller),
  ]);
  const agent = Object.values(agents).find(({ actor }) => actor === run.actor);
  const id = run.parent ?? run.id;
  return {
    agent: agent?.label ?? actorLabel(run.actor, ctx.config),
    id,
    branch: run.branch,
    repo: project?.repo ?? null,
    person: run.person && (names.get(run.person) ?? run.person),
    command: agent?.resume && plainId.test(id) ? `${agent.resume} ${id}` : null,
  };
}
