/** The writer of each agent's settings. */
import type { AgentId } from "../../../../src/core/agents/agents.ts";
import { claudeCode } from "./claude-code.ts";
import { codex } from "./codex.ts";
import { copilot, cursor, opencode, vscode } from "./editors.ts";
import { geminiCli } from "./gemini-cli.ts";
import type { Writer } from "./writer.ts";

export const writers: Record<AgentId, Writer> = {
  "claude-code": claudeCode,
  codex,
  "gemini-cli": geminiCli,
  cursor,
  copilot,
  opencode,
  vscode,
};
