/** OpenCode has plugins in place of hooks: the one that `svc connect` writes calls `svc hook`. */
import {
  type AgentHooks,
  claudeShape,
  sessionEnd,
  sessionFailed,
  sessionStart,
  subagentSession,
} from "./agent-hooks.ts";

export const openCode: AgentHooks = {
  ...claudeShape,
  events: {
    SessionStart: sessionStart,
    SessionEnd: sessionEnd,
    StopFailure: sessionFailed,
    SubagentStart: subagentSession("start"),
    SubagentStop: subagentSession("end"),
  },
  answer: null,
};
