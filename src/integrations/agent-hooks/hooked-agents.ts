/** The agents whose hooks `svc hook` understands. */

import { existsSync } from "node:fs";
import type { AgentId } from "../../core/agents/agents.ts";
import {
  type AgentHooks,
  additionalContext,
  asksFor,
  claudeChecks,
  claudeShape,
  cursorChecks,
  geminiChecks,
  type HookInput,
  label,
  openCodeChecks,
  resumed,
  type SessionEvent,
  sessionEnd,
  sessionFailed,
  sessionStart,
  subagent,
  subagentSession,
  text,
  turns,
  word,
} from "./agent-hooks.ts";

export type HookedAgent = Exclude<AgentId, "vscode">;

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
    // PermissionRequest comes for what is denied or allowed without a person, too; these wait 6 s for a key.
    Notification: asksFor(
      ...["permission_prompt", "elicitation_dialog", "elicitation_url_dialog", "agent_needs_input"],
    ),
    PostToolUse: resumed,
  },
  answer: additionalContext,
  checks: claudeChecks,
  afterTool: "PostToolUse",
};

/**
 * The hooks of Codex: the form of Claude Code's, without one for failures (0.171.0). SessionEnd exists since
 * 0.145.0. The telemetry of a subagent names it alone, as `conversation.id`.
 */
const codex: AgentHooks = {
  ...claudeShape,
  events: {
    SessionStart: sessionStart,
    SessionEnd: usedSessionEnd,
    SubagentStart: subagentSession("start"),
    SubagentStop: subagentSession("end"),
    ...turns,
    PermissionRequest: () => ({ phase: "waiting" }),
    PostToolUse: resumed,
  },
  answer: additionalContext,
  checks: claudeChecks,
  afterTool: "PostToolUse",
};

/**
 * The hooks of GitHub Copilot CLI, set up by their names in PascalCase, for which it writes the fields of
 * Claude Code. It takes context in a form of its own (1.0.102; earlier versions ignored it,
 * github/copilot-cli#2142).
 */
const failures = ["error", "timeout"];

const copilot: AgentHooks = {
  ...claudeShape,
  session: ({ session_id, sessionId }) => text(session_id) ?? text(sessionId),
  events: {
    SessionStart: sessionStart,
    SessionEnd: (input) => ({
      ...sessionEnd(input),
      phase: failures.includes(word(input.reason) ?? "") ? "failed" : "end",
    }),
    SubagentStart: subagent("start"),
    SubagentStop: subagent("end"),
    // Its permissionRequest comes before every check of rules, and is no sign that it waits.
    Notification: asksFor("permission_prompt", "elicitation_dialog"),
    PostToolUse: resumed,
    UserPromptSubmit: resumed,
    Stop: resumed,
  },
  unnamed: "SubagentStart", // 1.0.102 writes it in camelCase
  answer: (additionalContext) => ({ additionalContext }),
  checks: claudeChecks,
  afterTool: "PostToolUse",
};

/** The hooks of Cursor. */
const cursor: AgentHooks = {
  session: ({ session_id, conversation_id }) => text(session_id) ?? text(conversation_id),
  folder: ({ workspace_roots }) => (Array.isArray(workspace_roots) ? text(workspace_roots[0]) : undefined),
  events: {
    sessionStart: ({ model }) => ({ phase: "start", model: label(model) }),
    sessionEnd: ({ reason }) => ({ phase: reason === "error" ? "failed" : "end", reason: word(reason) }),
    subagentStart: subagent("start"),
    subagentStop: subagent("end"),
  },
  answer: (additional_context) => ({ additional_context }),
  checks: cursorChecks,
};

/** The hooks of Gemini CLI, which has none for failures and subagents. */
const geminiCli: AgentHooks = {
  ...claudeShape,
  events: {
    SessionStart: sessionStart,
    SessionEnd: sessionEnd,
    Notification: asksFor("ToolPermission"),
    AfterTool: resumed,
    BeforeAgent: resumed,
    AfterAgent: resumed,
  },
  answer: additionalContext,
  checks: geminiChecks,
  afterTool: "AfterTool",
};

/** OpenCode has plugins in place of hooks: that of svc hands over hooks of this form, and takes the answer. */
const openCode: AgentHooks = {
  ...claudeShape,
  events: {
    SessionStart: sessionStart,
    SessionEnd: sessionEnd,
    StopFailure: sessionFailed,
    SubagentStart: subagentSession("start"),
    SubagentStop: subagentSession("end"),
    Notification: asksFor("permission.asked", "question.asked"),
    PostToolUse: resumed,
  },
  answer: (context) => ({ context }),
  checks: openCodeChecks,
  afterTool: "PostToolUse",
};

export const agentHooks: Record<HookedAgent, AgentHooks> = {
  "claude-code": claudeCode,
  codex,
  "gemini-cli": geminiCli,
  cursor,
  copilot,
  opencode: openCode,
};

/** The names of the hooks to set up for an agent, and the tools that each is for. */
export function hookNames(agent: HookedAgent): { event: string; matcher?: string }[] {
  const { events, checks } = agentHooks[agent];
  const names = new Set([...Object.keys(events), ...(checks ? [checks.command.hook, checks.turn.hook] : [])]);
  return [...names].map((event) => {
    const matcher = event === checks?.command.hook ? checks.command.matcher : undefined;
    return { event, ...(matcher && { matcher }) };
  });
}

/** What comes after every tool: Claude Code does not wait for it. */
export const asyncHook = (event: string): { async?: true } =>
  event === "PostToolUse" ? { async: true } : {};
