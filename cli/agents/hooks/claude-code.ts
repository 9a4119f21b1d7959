/** The hooks of Claude Code. */
import { existsSync } from "node:fs";
import {
  type AgentHooks,
  additionalContext,
  claudeShape,
  type HookInput,
  type SessionEvent,
  sessionEnd,
  sessionFailed,
  sessionStart,
  subagent,
  turns,
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

/** The end of a session that had a start. */
export const usedSessionEnd = (input: HookInput): SessionEvent | null =>
  isUnused(input) ? null : sessionEnd(input);

export const claudeCode: AgentHooks = {
  ...claudeShape,
  events: {
    SessionStart: sessionStart,
    SessionEnd: usedSessionEnd,
    StopFailure: sessionFailed,
    SubagentStart: subagent("start"),
    SubagentStop: subagent("end"),
    ...turns,
  },
  answer: additionalContext,
};
