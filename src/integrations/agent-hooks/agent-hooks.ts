/**
 * What the hooks of an agent say. A table reads only the fields that it names: prompts, inputs and outputs of
 * tools, and messages of the model are in the same JSON, and never leave the machine.
 */
import { subagentId } from "../../core/agents/subagent-run.ts";

export type HookInput = Readonly<Record<string, unknown>>;

/**
 * Of a session or a subagent; `working` and `idle`: its agent got a prompt, and waits for the next one;
 * `waiting`: it asks for permission or input; `resumed`: it goes on, if it has asked before; `edited`: it
 * changed files, and the hook says nothing else.
 */
export type Phase = "start" | "end" | "failed" | "working" | "idle" | "waiting" | "resumed" | "edited";

export interface SessionEvent {
  phase: Phase;
  /** Why, as one word of the agent: `startup`, `logout`, `rate_limit`. */
  reason?: string | undefined;
  model?: string | undefined;
  /** The subagent that it is about; absent: the session itself. */
  subagent?: {
    id: string;
    type: string | undefined;
    /** It is a session of its own, and its id is unique. */
    isSession?: true;
  };
  /** A start that does not begin work, as after a compaction: it takes a brief and is no event. */
  isContinued?: boolean;
}

export interface AgentHooks {
  session(input: HookInput): string | undefined;
  folder(input: HookInput): string | undefined;
  /** By the name of the hook. A hook that is not here is not reported. */
  events: Record<string, (input: HookInput) => SessionEvent | null>;
  /** The hook whose input does not name it. */
  unnamed?: string;
  /** What the hook prints to add a brief to a session that starts. */
  answer(brief: string): object;
  /** The hooks at which a decision can stop the agent; absent: it has none. */
  checks?: CheckHooks;
  /** The hook that comes after each tool, and may name files that it changed; absent: none does. */
  afterTool?: string;
}

export interface CheckHooks {
  /** Comes before a tool that runs a shell: its name, the tool, the command, and how to refuse it. */
  command: {
    hook: string;
    matcher?: string;
    read(input: HookInput): string | undefined;
    refuse(reason: string): object;
  };
  /** Comes at the end of a turn: its name, and how to hand the agent something to change. */
  turn: { hook: string; hand(reason: string): object };
}

/** Tools that change files, of Claude Code, Codex, Gemini CLI, Copilot CLI, and OpenCode. */
const editTools = new Set<unknown>([
  ...["Edit", "Write", "MultiEdit", "NotebookEdit"],
  ...["apply_patch", "write_file", "replace", "edit", "create", "write", "multiedit"],
]);

export const isEditTool = ({ tool_name }: HookInput): boolean => editTools.has(tool_name);

/** The name of the hook: in its input, or as it was called. */
export const hookNameOf = (hooks: AgentHooks, name: string | undefined, input: HookInput): string =>
  text(input.hook_event_name) ?? name ?? hooks.unnamed ?? "";

/** A field that holds one of the agent's own words; undefined for anything else, such as free text. */
export const word = (value: unknown): string | undefined =>
  typeof value === "string" && /^[A-Za-z][\w.-]{0,39}$/.test(value) ? value : undefined;

/** A name: letters, digits, spaces and `.:/@+()[]-`, at most 96 characters. */
export const label = (value: unknown): string | undefined =>
  typeof value === "string" && /^[\p{L}\p{N}_ .:/@+()[\]-]{1,96}$/u.test(value) ? value.trim() : undefined;

export const text = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined;

/** The form of Claude Code, which Codex, Gemini CLI, Copilot and the plugin for OpenCode share. */
export const claudeShape: Pick<AgentHooks, "session" | "folder"> = {
  session: ({ session_id }) => text(session_id),
  folder: ({ cwd }) => text(cwd),
};

/** Adds context in the way of Claude Code. */
export const additionalContext = (additionalContext: string): object => ({
  hookSpecificOutput: { hookEventName: "SessionStart", additionalContext },
});

/** The command of a tool that runs a shell. */
const toolCommand = ({ tool_input }: HookInput): string | undefined =>
  text((tool_input as Record<string, unknown> | null | undefined)?.command);

/** The checks of Claude Code, of Codex, and of Copilot CLI (1.0.102), whose shell has the same name. */
export const claudeChecks: CheckHooks = {
  command: {
    hook: "PreToolUse",
    matcher: "Bash",
    read: toolCommand,
    refuse: (permissionDecisionReason) => ({
      hookSpecificOutput: {
        hookEventName: "PreToolUse",
        permissionDecision: "deny",
        permissionDecisionReason,
      },
    }),
  },
  turn: { hook: "Stop", hand: (reason) => ({ decision: "block", reason }) },
};

export const geminiChecks: CheckHooks = {
  command: {
    hook: "BeforeTool",
    matcher: "run_shell_command",
    read: toolCommand,
    refuse: (reason) => ({ decision: "deny", reason }),
  },
  turn: { hook: "AfterAgent", hand: (reason) => ({ decision: "deny", reason }) },
};

export const cursorChecks: CheckHooks = {
  command: {
    hook: "beforeShellExecution",
    read: ({ command }) => text(command),
    refuse: (agent_message) => ({ permission: "deny", user_message: agent_message, agent_message }),
  },
  turn: { hook: "stop", hand: (followup_message) => ({ followup_message }) },
};

/** The checks of OpenCode: the plugin throws the reason, and hands it over as a prompt at the end of a turn. */
export const openCodeChecks: CheckHooks = {
  command: { hook: "PreToolUse", read: toolCommand, refuse: (reason) => ({ reason }) },
  turn: { hook: "Stop", hand: (reason) => ({ reason }) },
};

/** A session that starts: after a compaction it continues. */
export const sessionStart = ({ source, model }: HookInput): SessionEvent => ({
  phase: "start",
  reason: word(source),
  model: label(model),
  ...(source === "compact" && { isContinued: true }),
});

export const resumed = (): SessionEvent => ({ phase: "resumed" });

/** A notification of one of these types asks for an answer. Others are only for the screen. */
export const asksFor =
  (...types: string[]) =>
  ({ notification_type }: HookInput): SessionEvent | null => {
    const type = word(notification_type);
    return type !== undefined && types.includes(type) ? { phase: "waiting", reason: type } : null;
  };

/** The turns of a session that a person leaves open. Their hooks print nothing, or it would become context. */
export const turns: AgentHooks["events"] = {
  UserPromptSubmit: () => ({ phase: "working" }),
  Stop: () => ({ phase: "idle" }),
};

export const sessionEnd = ({ reason }: HookInput): SessionEvent => ({ phase: "end", reason: word(reason) });

export const sessionFailed = ({ error }: HookInput): SessionEvent => ({
  phase: "failed",
  reason: word(error),
});

/** A subagent that starts or ends; null if the agent does not name it. */
export const subagent =
  (phase: Phase) =>
  ({ agent_id, agent_type }: HookInput): SessionEvent | null => {
    const id = subagentId(agent_id);
    return id === undefined ? null : { phase, subagent: { id, type: label(agent_type) } };
  };

/** The same for a subagent that is a session of its own. */
export const subagentSession =
  (phase: Phase) =>
  (input: HookInput): SessionEvent | null => {
    const event = subagent(phase)(input);
    return event?.subagent ? { ...event, subagent: { ...event.subagent, isSession: true } } : null;
  };
