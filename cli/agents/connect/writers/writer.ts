/** What a writer of an agent's settings gets and returns. */
import type { Agent, AgentFile, AgentId, Feature } from "../../../../src/core/agents/agents.ts";
import { type HookedAgent, hookNames } from "../../../../src/integrations/agent-hooks/hooked-agents.ts";
import { isHookCommand, type Scope } from "../hook-command.ts";
import type { Edit, ItemEdit, JsonValue, SetEdit, Settings } from "../settings/edit.ts";

export interface AgentSetup {
  agent: Agent;
  scope: Scope;
  /** The folder of the project, absolute; the settings of scope `user` do not use it. */
  projectFolder: string;
  /** URL of the server, without a trailing slash. */
  server: string;
  token: string;
  /** A token that can only send telemetry, for the path of a URL; null if there is none. */
  telemetryToken: string | null;
  /** The shell command of its hooks. */
  hookCommand: string;
}

/** New content of a settings file: edits of JSON or TOML, or the text of svc's script. */
export type Change = { file: AgentFile; edits: Edit[] } | { file: AgentFile; text: string };

export interface Plan {
  changes: Change[];
  /** What the user has to know or do, a sentence each. */
  notes: string[];
}

/** Plans the changes for an agent; `current` returns what a file says now. */
export type Writer = (setup: AgentSetup, current: (file: AgentFile) => Settings) => Plan;

/** Variables that settings which may be committed refer to, in place of the tokens. */
export const tokenVariable = "SVC_TOKEN";
export const telemetryTokenVariable = "SVC_TELEMETRY_TOKEN";

/** Stands for a token that only the user's environment has. */
export const keptInVariable = "kept";

export const bearer = (token: string): string => `Bearer ${token}`;
export const mcpUrl = ({ server }: AgentSetup): string => `${server}/mcp`;
export const otlpUrl = ({ server }: AgentSetup, path = ""): string => `${server}/api/otlp${path}`;
export const isOwnOtlpUrl = (url: unknown): boolean => typeof url === "string" && url.includes("/api/otlp");

/** The file of a scope that holds a feature. */
export function fileFor({ agent, scope }: AgentSetup, feature: Feature): AgentFile {
  const file = agent.files[scope].find(({ holds }) => holds.includes(feature));
  if (!file) throw new Error(`${agent.id} keeps no ${feature} in the scope ${scope}`);
  return file;
}

export const set = (path: string[], value: JsonValue): SetEdit => ({ path, value });

/** Sets every key of an object, and leaves its other keys. */
export const setEach = (path: string[], values: Record<string, JsonValue>): SetEdit[] =>
  Object.entries(values).map(([key, value]) => set([...path, key], value));

/** The id of the input that asks for the token, in the settings of VS Code. */
export const tokenInput = "svc-token";

/** Whether an item of a list in an agent's settings is one that svc wrote. */
export function isOwnItem(agent: AgentId, item: JsonValue): boolean {
  if (typeof item !== "object" || item === null || Array.isArray(item)) return false;
  const { hooks, command, bash, id } = item;
  if (Array.isArray(hooks)) return hooks.length > 0 && hooks.every((hook) => isOwnItem(agent, hook));
  return isHookCommand(command, agent) || isHookCommand(bash, agent) || id === tokenInput;
}

export const ownItem = (agent: AgentId, path: string[], item: JsonValue): ItemEdit => ({
  path,
  item,
  isOurs: (other) => isOwnItem(agent, other),
});

/** One hook for each event that `svc hook` understands, at `hooks.<event>`. */
export const hookItems = (agent: HookedAgent, itemFor: (event: string) => Settings): ItemEdit[] =>
  hookNames(agent).map(({ event, ...matcher }) =>
    ownItem(agent, ["hooks", event], { ...matcher, ...itemFor(event) }),
  );

/** Groups edits by file, in the order of the files. A file without edits is left out. */
export const changesOf = (...edits: [AgentFile, Edit[]][]): Change[] => {
  const files = [...new Set(edits.flatMap(([file, list]) => (list.length > 0 ? [file] : [])))];
  return files.map((file) => ({
    file,
    edits: edits.filter(([one]) => one === file).flatMap(([, list]) => list),
  }));
};
