/**
 * The hooks of Codex: the form of Claude Code's, without one for failures (0.171.0). SessionEnd exists since
 * 0.145.0. The telemetry of a subagent names it alone, as `conversation.id`.
 */
import {
  type AgentHooks,
  additionalContext,
  claudeShape,
  sessionStart,
  subagentSession,
  turns,
} from "./agent-hooks.ts";
import { usedSessionEnd } from "./claude-code.ts";

export const codex: AgentHooks = {
  ...claudeShape,
  events: {
    SessionStart: sessionStart,
    SessionEnd: usedSessionEnd,
    SubagentStart: subagentSession("start"),
    SubagentStop: subagentSession("end"),
    ...turns,
  },
  answer: additionalContext,
};
