/** Hooks of agents that ask for an answer, and what ends the wait. */
import { describe, expect, test } from "bun:test";
import type { HookInput } from "../../../src/integrations/agent-hooks/agent-hooks.ts";
import type { HookedAgent } from "../../../src/integrations/agent-hooks/hooked-agents.ts";
import { claude, eventOf } from "../../support/agents/hook-events.ts";

/** Hooks of agents that ask, as they write them; then the summary and the end of the dedupe key. */
const questions: [HookedAgent, string, HookInput, string, string][] = [
  [
    "claude-code",
    "Notification",
    {
      ...claude,
      notification_type: "permission_prompt",
      message: "Claude needs your permission to use Bash",
    },
    "Claude Code session asks for an answer (permission prompt)",
    "waiting:1795467600",
  ],
  [
    "codex",
    "PermissionRequest",
    { ...claude, turn_id: "t1", tool_name: "Bash", tool_input: { command: "MARKER" } },
    "Codex session asks for an answer",
    "waiting:1795467600",
  ],
  [
    "gemini-cli",
    "Notification",
    { ...claude, notification_type: "ToolPermission", details: { type: "exec", command: "MARKER" } },
    "Gemini CLI session asks for an answer (ToolPermission)",
    "waiting:1795467600",
  ],
  [
    "copilot",
    "Notification",
    { ...claude, notification_type: "elicitation_dialog" },
    "GitHub Copilot CLI session asks for an answer (elicitation dialog)",
    "waiting:1795467600",
  ],
  [
    "opencode",
    "Notification",
    { ...claude, notification_type: "question.asked" },
    "OpenCode session asks for an answer (question.asked)",
    "waiting:1795467600",
  ],
  ["codex", "PostToolUse", claude, "Codex session got an answer", "working:1795467600"],
  ["gemini-cli", "AfterTool", claude, "Gemini CLI session got an answer", "working:1795467600"],
];

describe("a hook", () => {
  test.each(questions)("of %s, %s %j is a turn", (agent, name, input, summary, key) => {
    const event = eventOf(agent, name, input);
    expect(event).toMatchObject({ kind: "step.usage", summary, dedupe_key: `hook:${agent}:S:${key}` });
    expect(JSON.stringify(event)).not.toContain("MARKER");
  });

  test("that only notifies is no event", () => {
    for (const notification_type of ["idle_prompt", "auth_success", { text: "x" }, undefined])
      expect(eventOf("claude-code", "Notification", { ...claude, notification_type })).toBeNull();
  });
});
