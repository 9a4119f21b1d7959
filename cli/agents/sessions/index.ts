/** The agents whose past sessions svc reads: one row, one file. Cursor's files hold no usage. */
import { claudeCode } from "./claude-code.ts";
import { codex } from "./codex.ts";
import { copilot } from "./copilot.ts";
import { geminiCli } from "./gemini-cli.ts";
import { openCode } from "./opencode.ts";
import type { SessionReader } from "./session.ts";

export const sessionReaders: readonly SessionReader[] = [claudeCode, codex, geminiCli, copilot, openCode];
