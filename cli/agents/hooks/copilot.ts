/**
 * The hooks of GitHub Copilot CLI, set up by their names in PascalCase, for which it writes the fields of
 * Claude Code. It takes context in a form of its own (1.0.102; earlier versions ignored it,
 * github/copilot-cli#2142).
 */
import {
  type AgentHooks,
  claudeShape,
  sessionEnd,
  sessionStart,
  subagent,
  text,
  word,
} from "./agent-hooks.ts";

const failures = ["error", "timeout"];

export const copilot: AgentHooks = {
  ...claudeShape,
  session: ({ session_id, sessionId }) => text(session_id) ?? text(sessionId),
  events: {
    SessionStart: sessionStart,
    SessionEnd: (input) => ({
      ...sessionEnd(input),
      phase: failures.includes(word(input.reason) ?? "") ? "failed" : "end",
    }),
    SubagentStart: subagent("start"),
    SubagentStop: subagent("end"),
  },
  unnamed: "SubagentStart", // 1.0.102 writes it in camelCase
  answer: (additionalContext) => ({ additionalContext }),
};
