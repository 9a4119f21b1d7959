/** Hooks that arrive over HTTP, from sessions on machines without `svc`: reported, and answered with a brief. */
import type { Caller } from "../../core/auth/caller.ts";
import { cleanLine } from "../../core/lib/strings/clean-text.ts";
import { appendEvents } from "../../feed/ingest/append-events.ts";
import { taskNamed } from "../../feed/projects/default-branch-task.ts";
import type { RunRow } from "../../feed/rows.ts";
import { briefForRun } from "../../overview/runs/run-memory.ts";
import type { IntegrationsContext } from "../context.ts";
import { findPlace, type Place, placeByRun, repositoryOfUrl } from "../telemetry/placement.ts";
import { type AgentHooks, type HookInput, hookNameOf, type SessionEvent } from "./agent-hooks.ts";
import { agentHooks, type HookedAgent } from "./hooked-agents.ts";
import { contextText, currentAge, missingBrief } from "./session-context.ts";
import { runIdOf, sessionReport } from "./session-report.ts";

/** Where a session works, which only a hook that starts a program can say: of others it is that of the run. */
export interface HookOrigin {
  /** URL of the remote `origin`. */
  repository?: string;
  branch?: string;
  /** Who commits there. */
  email?: string;
  /** In place of the one that the branch names. */
  task?: string;
}

/** The output of a hook that adds nothing to the session. */
const nothing = {};

/**
 * Reports what a hook says, and returns what the agent reads as the output of the hook. Only the fields that
 * `agentHooks` names are read; prompts and outputs of tools in the same JSON are dropped.
 * @param name the name of the hook, for an agent whose input does not hold it
 */
export async function receiveHook(
  ctx: IntegrationsContext,
  agent: HookedAgent,
  name: string | undefined,
  input: HookInput,
  origin: HookOrigin,
  caller: Caller,
): Promise<object> {
  const hooks: AgentHooks = agentHooks[agent];
  const hook = hookNameOf(hooks, name, input);
  // The transcript is on the machine of the agent.
  const here = { ...input, transcript_path: undefined };
  const event = Object.hasOwn(hooks.events, hook) ? hooks.events[hook]?.(here) : null;
  const run_id = runIdOf(hooks.session(input) ?? "");
  if (!event || !run_id) return nothing;
  const answer = event.phase === "start" && !event.subagent ? hooks.answer : null;
  const place = await findSessionPlace(ctx, origin, run_id, caller);
  if (place === null) return answer ? answer(missingBrief(unplaced(origin))) : nothing;
  if (!event.isContinued) await report(ctx, agent, run_id, event, { ...place, origin }, caller);
  return answer ? answer(await sessionText(ctx, run_id, place, origin, caller)) : nothing;
}

/** The project and the task of a session: those of its repository and branch, else those of its run. */
async function findSessionPlace(
  ctx: IntegrationsContext,
  { repository, branch, task }: HookOrigin,
  run_id: string,
  caller: Caller,
): Promise<Place | null> {
  const placement = {
    ...(repository !== undefined && repositoryOfUrl(repository)),
    ...(branch !== undefined && { branch }),
  };
  const runs = await ctx.data.runPlaces(caller.projects, [run_id]);
  const found = await findPlace(ctx, caller, placement);
  const place = placeByRun(found, placement, [run_id], new Map([[run_id, runs]]));
  if ("reason" in place) return null;
  const named = task === undefined ? null : taskNamed(task);
  return named ? { project: place.project, ...named } : place;
}

const branchOf = ({ branch = "" }: HookOrigin): string => cleanLine(branch, 255);

const unplaced = ({ repository }: HookOrigin): string => {
  const { repo } = (repository !== undefined && repositoryOfUrl(repository)) || {};
  return repo === undefined
    ? "its token may use several projects, and the session names no repository"
    : `no project that its token may use is linked to the repository ${cleanLine(repo, 140)}`;
};

async function report(
  ctx: IntegrationsContext,
  agent: HookedAgent,
  run_id: string,
  event: SessionEvent,
  { project, origin, ...task }: Place & { origin: HookOrigin },
  caller: Caller,
): Promise<void> {
  const now = ctx.now();
  const run = event.subagent ? null : await ctx.data.run(caller.projects, project, run_id);
  if (!event.subagent && !isNews(event, run)) return;
  const branch = branchOf(origin);
  const reported = {
    ...sessionReport(
      agent,
      run_id,
      event,
      { project, repo: null, email: origin.email ?? null },
      new Date(now / 1_000),
    ),
    ...task,
    ...(branch && { branch }),
  };
  await appendEvents(ctx, { events: [reported] }, caller);
}

/**
 * Whether a hook says something new of its session: what ends right after a failure has failed, commands such
 * as `claude mcp list` end a session that never started, and an agent that goes on may not have asked.
 */
function isNews({ phase }: SessionEvent, run: RunRow | null): boolean {
  if (phase === "end") return run !== null && run.status !== "failed";
  return phase !== "resumed" || run?.status === "waiting";
}

/** What the session reads: its brief, if its token may read memory. */
async function sessionText(
  ctx: IntegrationsContext,
  run_id: string,
  { project, issue, task }: Place,
  origin: HookOrigin,
  caller: Caller,
): Promise<string> {
  if (!caller.scopes.has("memory:read"))
    return contextText(missingBrief("its token lacks the scope memory:read"), run_id, undefined);
  const branch = branchOf(origin);
  const query = {
    project,
    run_id,
    ...(issue && { issue }),
    ...(task && { task }),
    ...(branch && { branch }),
  };
  const { text } = await briefForRun(ctx, query, caller);
  return contextText(currentAge(ctx.now() / 1_000), run_id, text);
}
