/**
 * The session of an agent in whose shell a command runs: what the command makes belongs to the run of the
 * session, and it acts with the token of the agent, not with the login of a person.
 */

import { runIdOf } from "../../src/integrations/agent-hooks/session-report.ts";
import { type Connection, connectionFor } from "../agents/connections.ts";

/**
 * The variables with the id of a session, which is the id of its run. The innermost agent comes first: agents
 * that start Codex pass on their own variables. A subagent of Codex has a thread of its own.
 */
const sessionVariables = [
  ["codex", "CODEX_THREAD_ID"],
  ["claude-code", "CLAUDE_CODE_SESSION_ID"],
] as const;

/** The agent and the run of the session; null outside of one. */
function agentSession(): { agent: string; run_id: string } | null {
  for (const [agent, variable] of sessionVariables) {
    const run_id = runIdOf(process.env[variable] ?? "");
    if (run_id !== "") return { agent, run_id };
  }
  return null;
}

/** The connection that `svc connect` made for the agent of the session. */
export function sessionConnection(): Connection | null {
  const session = agentSession();
  return session && connectionFor(session.agent, process.cwd());
}

/** The run that a command belongs to: of the `svc run` that it runs in, else of the session of an agent. */
export const currentRunId = (): string | undefined => process.env.SVC_RUN_ID || agentSession()?.run_id;
