/** The tables of hooks: exact events, and nothing of any other field. */
import { describe, expect, test } from "bun:test";
import type { EventInput } from "../../../src/feed/schema.ts";
import type { HookInput } from "../../../src/integrations/agent-hooks/agent-hooks.ts";
import { editedFiles } from "../../../src/integrations/agent-hooks/edited-files.ts";
import { agentHooks, type HookedAgent } from "../../../src/integrations/agent-hooks/hooked-agents.ts";
import { runIdOf } from "../../../src/integrations/agent-hooks/session-report.ts";
import { at, claude, cursor, eventOf, sub } from "../../support/agents/hook-events.ts";
import { must } from "../../support/harness.ts";

/** Agent, hook and fields; then kind, run, summary, and end of the dedupe key. */
const cases: [HookedAgent, string, HookInput, string, string, string, string][] = [
  [
    "claude-code",
    "SessionStart",
    { ...claude, source: "startup", model: "m-1" },
    "run.started",
    "S",
    "Claude Code session started (startup)",
    "start",
  ],
  [
    "claude-code",
    "SessionStart",
    { ...claude, source: "resume" },
    "run.started",
    "S",
    "Claude Code session started (resume)",
    "start:1795467600",
  ],
  [
    "claude-code",
    "SessionEnd",
    { ...claude, reason: "logout" },
    "run.finished",
    "S",
    "Claude Code session ended (logout)",
    "end:1795467600",
  ],
  [
    "claude-code",
    "StopFailure",
    { ...claude, error: "rate_limit" },
    "run.failed",
    "S",
    "Claude Code session failed: rate_limit",
    "failed:1795467600",
  ],
  [
    "claude-code",
    "StopFailure",
    { ...claude, error: "free text with a secret" },
    "run.failed",
    "S",
    "Claude Code session failed",
    "failed:1795467600",
  ],
  [
    "claude-code",
    "SubagentStart",
    { ...claude, ...sub },
    "run.started",
    "S/a1",
    "Subagent Explore started",
    "start",
  ],
  [
    "claude-code",
    "SubagentStop",
    { ...claude, ...sub },
    "run.finished",
    "S/a1",
    "Subagent Explore ended",
    "end:1795467600",
  ],
  [
    "codex",
    "SessionStart",
    { ...claude, source: "startup", model: "gpt-9" },
    "run.started",
    "S",
    "Codex session started (startup)",
    "start",
  ],
  ["codex", "SubagentStart", { ...claude, ...sub }, "run.started", "a1", "Subagent Explore started", "start"],
  [
    "codex",
    "SubagentStop",
    { ...claude, ...sub },
    "run.finished",
    "a1",
    "Subagent Explore ended",
    "end:1795467600",
  ],
  ["codex", "SessionEnd", claude, "run.finished", "S", "Codex session ended", "end:1795467600"],
  [
    "gemini-cli",
    "SessionStart",
    { ...claude, source: "startup" },
    "run.started",
    "S",
    "Gemini CLI session started (startup)",
    "start",
  ],
  [
    "gemini-cli",
    "SessionEnd",
    { ...claude, reason: "exit" },
    "run.finished",
    "S",
    "Gemini CLI session ended (exit)",
    "end:1795467600",
  ],
  [
    "copilot",
    "SubagentStart",
    { sessionId: "S", cwd: "/p", agentName: "Explore", parent_agent_id: "S", ...sub },
    "run.started",
    "S/a1",
    "Subagent Explore started",
    "start",
  ],
  [
    "copilot",
    "SessionEnd",
    { ...claude, reason: "complete" },
    "run.finished",
    "S",
    "GitHub Copilot CLI session ended (complete)",
    "end:1795467600",
  ],
  [
    "copilot",
    "SessionEnd",
    { ...claude, reason: "error" },
    "run.failed",
    "S",
    "GitHub Copilot CLI session failed: error",
    "failed:1795467600",
  ],
  [
    "cursor",
    "sessionStart",
    { ...cursor, model: "m-2" },
    "run.started",
    "S",
    "Cursor session started",
    "start",
  ],
  [
    "cursor",
    "sessionEnd",
    { ...cursor, reason: "completed" },
    "run.finished",
    "S",
    "Cursor session ended (completed)",
    "end:1795467600",
  ],
  [
    "cursor",
    "sessionEnd",
    { ...cursor, reason: "error" },
    "run.failed",
    "S",
    "Cursor session failed: error",
    "failed:1795467600",
  ],
  [
    "opencode",
    "SessionStart",
    { ...claude, source: "startup" },
    "run.started",
    "S",
    "OpenCode session started (startup)",
    "start",
  ],
  [
    "opencode",
    "SubagentStart",
    { ...claude, agent_id: "ses_2" },
    "run.started",
    "ses_2",
    "Subagent started",
    "start",
  ],
  [
    "opencode",
    "SessionEnd",
    { ...claude, reason: "idle" },
    "run.finished",
    "S",
    "OpenCode session ended (idle)",
    "end:1795467600",
  ],
];

describe("a hook", () => {
  test.each(cases)("of %s, %s %j", (agent, name, input, kind, run_id, summary, key) => {
    const event = eventOf(agent, name, input);
    expect(event).toEqual({
      ...{ kind, actor: `agent:${agent}`, summary, project: "atlas", run_id },
      ...(run_id !== "S" && { parent_run_id: "S" }),
      ...(typeof input.model === "string" && { model: input.model }),
      ...{ ts: at.toISOString(), dedupe_key: `hook:${agent}:${run_id}:${key}` },
    } as EventInput);
    expect(JSON.stringify(event)).not.toContain("MARKER");
  });

  test("of a subagent without an ID is no event", () => {
    expect(eventOf("claude-code", "SubagentStart", claude)).toBeNull();
  });

  test("gives the session at most 128 bytes of visible characters", () => {
    expect(runIdOf(` a\u0000b\u202e${"c".repeat(200)}`)).toBe(`ab${"c".repeat(126)}`);
    const event = must(
      eventOf("claude-code", "SubagentStart", { ...claude, ...sub, session_id: "s".repeat(128) }),
    );
    expect(event.run_id).toBe(`${"s".repeat(125)}/a1`);
  });
});

test("a brief is answered in the form of the agent", () => {
  const inContext = { hookSpecificOutput: { hookEventName: "SessionStart", additionalContext: "B" } };
  const answers = Object.entries(agentHooks).map(([agent, { answer }]) => [agent, answer("B")]);
  expect(Object.fromEntries(answers)).toEqual({
    ...{ "claude-code": inContext, codex: inContext, "gemini-cli": inContext },
    ...{
      cursor: { additional_context: "B" },
      copilot: { additionalContext: "B" },
      opencode: { context: "B" },
    },
  });
});

test("names of edited files are read from the tools that change files, and from the headers of patches", () => {
  const patch = `*** Begin Patch
*** Update File: src/app.ts
*** Move to: src/main.ts
@@
-MARKER
+*** Add File: MARKER
*** Add File: docs/a b.md
+MARKER
*** End Patch`;
  const cases: [HookInput, string[]][] = [
    [{ tool_input: { file_path: "/p/src/app.ts", new_string: "MARKER" } }, ["/p/src/app.ts"]],
    [{ tool_input: { notebook_path: "/p/a.ipynb", new_source: "MARKER" } }, ["/p/a.ipynb"]],
    [{ tool_input: { path: "a.ts", file_text: "MARKER" } }, ["a.ts"]],
    [{ tool_input: { command: patch } }, ["src/app.ts", "src/main.ts", "docs/a b.md"]],
    [{ tool_input: patch }, ["src/app.ts", "src/main.ts", "docs/a b.md"]],
    [{ tool_input: { file_path: 7 } }, []],
    [{ tool_input: null }, []],
    [{}, []],
  ];
  for (const [input, paths] of cases) expect(editedFiles(input)).toEqual(paths);
});
