/** The hooks of Claude Code. */
import {
  type AgentHooks,
  additionalContext,
  claudeShape,
  sessionEnd,
  sessionFailed,
  sessionStart,
  subagent,
} from "./agent-hooks.ts";

export const claudeCode: AgentHooks = {
  ...claudeShape,
  events: {
    SessionStart: sessionStart,
    SessionEnd: sessionEnd,
    StopFailure: sessionFailed,
    SubagentStart: subagent("start"),
    SubagentStop: subagent("end"),
  },
  answer: additionalContext,
};
