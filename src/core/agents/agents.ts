/**
 * The table of agents that `svc connect` and `svc hook` support: the actor of each in the feed, how to detect
 * it, where it keeps its settings, and what it supports. Pure data; the writers are in
 * `cli/agents/connect/writers`.
 */

/** What svc sets up in an agent. */
export type Feature = "mcp" | "hooks" | "telemetry";

/**
 * The base of a path: the user's home, the settings folder of the agent, or the folder of the project.
 */
export type Base = "home" | "settings" | "project";

export interface AgentFile {
  base: Base;
  /** Relative to the base, with `/`. */
  path: string;
  format: "json" | "toml" | "script";
  holds: readonly Feature[];
}

export interface AgentDefinition {
  label: string;
  /** Other names that people use for it on the command line. */
  aliases: readonly string[];
  /** The program on PATH. */
  program: string;
  /** How a person returns to a session, whose id comes behind it; null where none can be named. */
  resume: string | null;
  /**
   * The folder of its user settings: `path` below the home, XDG_CONFIG_HOME (else `~/.config`), or the
   * configuration folder of the platform; the variable in `env` replaces the whole path.
   */
  settings: { in: "home" | "xdg" | "platform"; path: string; env: string | null };
  /** By scope. The files of `project` that are meant to be committed never hold a token. */
  files: { user: readonly AgentFile[]; project: readonly AgentFile[] };
  /**
   * How its OTLP exporter authenticates: with a header in its settings, with a token in the path because it
   * cannot send headers, or only through variables of the environment; null if it exports nothing.
   */
  telemetry: "header" | "path" | "environment" | null;
}

const filesOf =
  (format: AgentFile["format"]) =>
  (base: Base, path: string, ...holds: Feature[]): AgentFile => ({ base, path, holds, format });
const [json, toml, script] = [filesOf("json"), filesOf("toml"), filesOf("script")];

const definitions = {
  "claude-code": {
    label: "Claude Code",
    aliases: ["claude"],
    program: "claude",
    resume: "claude --resume",
    telemetry: "header",
    settings: { in: "home", path: ".claude", env: "CLAUDE_CONFIG_DIR" },
    files: {
      user: [json("settings", "settings.json", "hooks", "telemetry"), json("home", ".claude.json", "mcp")],
      project: [
        json("project", ".claude/settings.local.json", "hooks", "telemetry"),
        json("home", ".claude.json", "mcp"),
      ],
    },
  },
  codex: {
    label: "Codex",
    aliases: ["codex-cli"],
    program: "codex",
    resume: "codex resume",
    telemetry: "header",
    settings: { in: "home", path: ".codex", env: "CODEX_HOME" },
    files: {
      user: [toml("settings", "config.toml", "mcp", "telemetry"), json("settings", "hooks.json", "hooks")],
      project: [toml("project", ".codex/config.toml", "mcp"), json("project", ".codex/hooks.json", "hooks")],
    },
  },
  "gemini-cli": {
    label: "Gemini CLI",
    aliases: ["gemini"],
    program: "gemini",
    resume: "gemini --resume",
    telemetry: "path",
    settings: { in: "home", path: ".gemini", env: null },
    files: {
      user: [json("settings", "settings.json", "mcp", "hooks", "telemetry")],
      project: [json("project", ".gemini/settings.json", "mcp", "hooks", "telemetry")],
    },
  },
  cursor: {
    label: "Cursor",
    aliases: [],
    program: "cursor",
    resume: "cursor-agent --resume",
    telemetry: null,
    settings: { in: "home", path: ".cursor", env: null },
    files: {
      user: [json("settings", "mcp.json", "mcp"), json("settings", "hooks.json", "hooks")],
      project: [json("project", ".cursor/mcp.json", "mcp"), json("project", ".cursor/hooks.json", "hooks")],
    },
  },
  copilot: {
    label: "GitHub Copilot CLI",
    aliases: ["copilot-cli"],
    program: "copilot",
    resume: "copilot --resume",
    telemetry: "environment",
    settings: { in: "home", path: ".copilot", env: "COPILOT_HOME" },
    files: {
      user: [json("settings", "mcp-config.json", "mcp"), json("settings", "hooks/svc.json", "hooks")],
      project: [
        json("settings", "mcp-config.json", "mcp"),
        json("project", ".github/hooks/svc.json", "hooks"),
      ],
    },
  },
  opencode: {
    label: "OpenCode",
    aliases: [],
    program: "opencode",
    resume: "opencode --session",
    telemetry: null,
    settings: { in: "xdg", path: "opencode", env: null },
    files: {
      user: [json("settings", "opencode.json", "mcp"), script("settings", "plugins/svc.js", "hooks")],
      project: [
        json("project", "opencode.json", "mcp"),
        script("project", ".opencode/plugins/svc.js", "hooks"),
      ],
    },
  },
  vscode: {
    label: "VS Code",
    aliases: ["code"],
    program: "code",
    resume: null,
    telemetry: null,
    settings: { in: "platform", path: "Code/User", env: null },
    files: {
      user: [json("settings", "mcp.json", "mcp")],
      project: [json("project", ".vscode/mcp.json", "mcp")],
    },
  },
} as const satisfies Record<string, AgentDefinition>;

export type AgentId = keyof typeof definitions;

export interface Agent extends AgentDefinition {
  id: AgentId;
  /** The actor of its events. */
  actor: `agent:${AgentId}`;
}

export const allAgents = Object.keys(definitions) as AgentId[];

/** By id, in the order that lists show them. */
export const agents = {} as Record<AgentId, Agent>;
for (const id of allAgents) agents[id] = { ...definitions[id], id, actor: `agent:${id}` };

/** The agent of an id or an alias, such as `gemini`; null if there is none. */
export const findAgent = (name: string): Agent | null =>
  Object.values(agents).find(({ id, aliases }) => id === name || aliases.includes(name)) ?? null;

/** What svc can set up in an agent for a scope. */
export const featuresOf = ({ files }: Agent, scope: "user" | "project"): Feature[] => [
  ...new Set(files[scope].flatMap(({ holds }) => holds)),
];
