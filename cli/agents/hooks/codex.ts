/** The hooks of Codex: the form and the names of Claude Code's. SessionEnd exists since 0.145.0. */
import { type AgentHooks, additionalContext } from "./agent-hooks.ts";
import { claudeCode } from "./claude-code.ts";

export const codex: AgentHooks = { ...claudeCode, answer: additionalContext };
