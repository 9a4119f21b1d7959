/** Renders what a hook says as an event of the feed. */
import { type Agent, type AgentId, agents } from "../../core/agents/agents.ts";
import { runIdMax, subagentRunId } from "../../core/agents/subagent-run.ts";
import type { EventInput } from "../../feed/schema.ts";
import type { Phase, SessionEvent } from "./agent-hooks.ts";

const kinds = {
  start: "run.started",
  end: "run.finished",
  failed: "run.failed",
  working: "step.usage",
  idle: "step.usage",
  waiting: "step.usage",
  resumed: "step.usage",
  edited: "step.usage",
} as const;
const verbs: Record<Phase, string> = {
  start: "started",
  end: "ended",
  failed: "failed",
  working: "got a prompt",
  idle: "waits for a prompt",
  waiting: "asks for an answer",
  resumed: "got an answer",
  edited: "changed files",
};

/** The run id of a session: visible ASCII, at most 128 characters. Telemetry of the session has the same. */
export const runIdOf = (session: string): string => session.replace(/[^\x21-\x7e]/g, "").slice(0, runIdMax);

export interface SessionPlace {
  /** Null: the server decides by the repository. */
  project: string | null;
  repo: string | null;
  /** Of whose work it is. */
  email?: string | null;
}

/** What events say of an agent, which svc may not know. */
export interface ReportedAgent extends Pick<Agent, "label"> {
  id: string;
  actor: string;
}

/**
 * Builds the event of a session or a subagent.
 * @param run_id the run of the session
 */
export const sessionReport = (
  agent: AgentId,
  run_id: string,
  event: SessionEvent,
  place: SessionPlace,
  now: Date,
): EventInput => reportOf(agents[agent], run_id, event, place, now);

/** The same for any agent. */
export function reportOf(
  agent: ReportedAgent,
  run_id: string,
  { phase, reason, model, subagent }: SessionEvent,
  { project, repo, email }: SessionPlace,
  now: Date,
): EventInput {
  const run = subagent ? runOfSubagent(run_id, subagent) : run_id;
  const who = subagent ? ["Subagent", subagent.type].filter(Boolean).join(" ") : `${agent.label} session`;
  return {
    kind: kinds[phase],
    actor: agent.actor,
    summary: `${who} ${verbs[phase]}${reasonText(phase, reason)}`,
    ...(project !== null && { project }),
    ...(repo !== null && { repo }),
    ...(email && { email }),
    ...(model !== undefined && { model }),
    run_id: run,
    ...(subagent && { parent_run_id: run_id }),
    ts: now.toISOString(),
    dedupe_key: dedupeKey(agent.id, run, { phase, reason }, now),
  };
}

const runOfSubagent = (session: string, { id, isSession }: NonNullable<SessionEvent["subagent"]>): string =>
  isSession ? id : subagentRunId(session, id);

function reasonText(phase: Phase, reason: string | undefined): string {
  if (reason === undefined) return "";
  return phase === "failed" ? `: ${reason}` : ` (${reason.replaceAll("_", " ")})`;
}

/** A session starts once, and can be resumed, end and fail again: those keys hold the second. */
function dedupeKey(
  agent: string,
  run: string,
  { phase, reason }: Pick<SessionEvent, "phase" | "reason">,
  now: Date,
): string {
  const name = phase === "resumed" ? "working" : phase;
  const isFirst = phase === "start" && (reason === undefined || reason === "startup");
  return `hook:${agent}:${run}:${name}${isFirst ? "" : `:${Math.floor(now.getTime() / 1000)}`}`;
}
