/** Ends of sessions of Claude Code that are none: inputs as Claude Code 2.1.197 sends them. */
import { expect, test } from "bun:test";
import { claudeCode } from "../../../src/integrations/agent-hooks/hooked-agents.ts";

const sessionEnd = claudeCode.events.SessionEnd;
const missing = { session_id: "97c51a60", transcript_path: "/nowhere/97c51a60.jsonl", reason: "other" };

test("`claude mcp list` ends a session that never started, which is no event", () => {
  expect(sessionEnd?.(missing)).toBeNull();
});

test.each([
  ["a session that keeps no transcript, after a prompt", { ...missing, prompt_id: "1ff05a94" }],
  ["a session left before the first prompt", { ...missing, reason: "prompt_input_exit" }],
  ["a session with a transcript", { ...missing, transcript_path: import.meta.path }],
  ["a session of Codex without a transcript", { ...missing, transcript_path: null }],
])("%s ends", (_, input) => {
  expect(sessionEnd?.(input)).toEqual({ phase: "end", reason: input.reason });
});
