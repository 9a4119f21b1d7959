/** The hooks of Claude Code. */
import { existsSync } from "node:fs";
import {
  type AgentHooks,
  additionalContext,
  claudeShape,
  type HookInput,
  sessionEnd,
  sessionFailed,
  sessionStart,
  subagent,
} from "./agent-hooks.ts";

/**
 * Commands such as `claude mcp list` end a session that never started: without a prompt, and without the
 * transcript that they name.
 */
const isUnused = ({ reason, prompt_id, transcript_path }: HookInput): boolean =>
  reason === "other" &&
  prompt_id === undefined &&
  typeof transcript_path === "string" &&
  !existsSync(transcript_path);

export const claudeCode: AgentHooks = {
  ...claudeShape,
  events: {
    SessionStart: sessionStart,
    SessionEnd: (input) => (isUnused(input) ? null : sessionEnd(input)),
    StopFailure: sessionFailed,
    SubagentStart: subagent("start"),
    SubagentStop: subagent("end"),
  },
  answer: additionalContext,
};
