/**
 * The hooks of Codex: the form of Claude Code's, without one for failures (0.171.0). SessionEnd exists since
 * 0.145.0.
 */
import {
  type AgentHooks,
  additionalContext,
  claudeShape,
  type HookInput,
  type Phase,
  type SessionEvent,
  sessionStart,
  subagent,
} from "./agent-hooks.ts";
import { usedSessionEnd } from "./claude-code.ts";

/** A subagent of Codex is a session of its own: its telemetry names it alone, as `conversation.id`. */
const subagentSession =
  (phase: Phase) =>
  (input: HookInput): SessionEvent | null => {
    const event = subagent(phase)(input);
    return event?.subagent ? { ...event, subagent: { ...event.subagent, isSession: true } } : null;
  };

export const codex: AgentHooks = {
  ...claudeShape,
  events: {
    SessionStart: sessionStart,
    SessionEnd: usedSessionEnd,
    SubagentStart: subagentSession("start"),
    SubagentStop: subagentSession("end"),
  },
  answer: additionalContext,
};
