/** The hooks of Gemini CLI, which has none for failures and subagents. */
import { type AgentHooks, additionalContext, claudeShape, sessionEnd, sessionStart } from "./agent-hooks.ts";

export const geminiCli: AgentHooks = {
  ...claudeShape,
  events: { SessionStart: sessionStart, SessionEnd: sessionEnd },
  answer: additionalContext,
};
