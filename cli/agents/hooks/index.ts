/** The agents whose hooks `svc hook` understands. */
import type { AgentId } from "../../../src/core/agents/agents.ts";
import type { AgentHooks } from "./agent-hooks.ts";
import { claudeCode } from "./claude-code.ts";
import { codex } from "./codex.ts";
import { copilot } from "./copilot.ts";
import { cursor } from "./cursor.ts";
import { geminiCli } from "./gemini-cli.ts";
import { openCode } from "./opencode.ts";

export type HookedAgent = Exclude<AgentId, "vscode">;

export const agentHooks: Record<HookedAgent, AgentHooks> = {
  "claude-code": claudeCode,
  codex,
  "gemini-cli": geminiCli,
  cursor,
  copilot,
  opencode: openCode,
};
