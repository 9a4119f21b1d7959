/**
 * The hooks of GitHub Copilot CLI, set up by their names in PascalCase, for which it writes the fields of
 * Claude Code. It ignores context that SessionStart answers with (github/copilot-cli#2142).
 */
import { type AgentHooks, claudeShape, sessionEnd, sessionStart, subagent, word } from "./agent-hooks.ts";

const failures = ["error", "timeout"];

export const copilot: AgentHooks = {
  ...claudeShape,
  events: {
    SessionStart: sessionStart,
    SessionEnd: (input) => ({
      ...sessionEnd(input),
      phase: failures.includes(word(input.reason) ?? "") ? "failed" : "end",
    }),
    SubagentStart: subagent("start"),
    SubagentStop: subagent("end"),
  },
  answer: null,
};
