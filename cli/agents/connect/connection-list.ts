/** What `svc connect --list` shows: the connections, and when each agent last sent something. */
import { accessSync, constants } from "node:fs";
import { type Agent, findAgent } from "../../../src/core/agents/agents.ts";
import { openRemote } from "../../api.ts";
import { ApiError, unwrap } from "../../client/client.ts";
import { type Column, formatAge } from "../../output/table.ts";
import { type Connection, readConnections } from "../connections.ts";
import type { SpoolStatus } from "../spool/status.ts";
import { codexTrust, untrustedHooks } from "./codex-trust.ts";
import { isHookCommand, programIn, settingsPath } from "./hook-command.ts";
import { checkHook } from "./self-check.ts";
import { readSettingsFile } from "./settings/settings-file.ts";

export interface ListedConnection extends Omit<Connection, "token" | "branch_pattern">, InstalledHooks {
  /** When the newest event of the agent's actor arrived; null if there is none, or if the server is away. */
  last_event_at: string | null;
  /** Why the server did not tell; null if it did. */
  error: string | null;
  /** The status that the server answered instead; null if it did not answer, or told. */
  error_status: number | null;
}

export const listConnections = (): Promise<ListedConnection[]> =>
  Promise.all(
    readConnections().map(async (connection) => {
      const { token: _, branch_pattern: __, ...listed } = connection;
      const [newest, hooks] = await Promise.all([newestEvent(connection), checkInstalledHooks(connection)]);
      return { ...listed, ...newest, ...hooks };
    }),
  );

type Sender = Pick<Connection, "agent" | "server" | "project" | "token">;

async function newestEvent({ agent, server, project, token }: Sender) {
  const actor = findAgent(agent)?.actor ?? `agent:${agent}`;
  const { api } = openRemote({ url: server, source: "--server", token, tokenSource: null });
  try {
    const query = { project: [project], actor: [actor], limit: 1 };
    const { events } = await unwrap(api.GET("/feed", { params: { query } }));
    return { last_event_at: events[0]?.ts ?? null, error: null, error_status: null };
  } catch (error) {
    const error_status = error instanceof ApiError ? error.status : null;
    return { last_event_at: null, error: (error as Error).message, error_status };
  }
}

export const connectionColumns: Column[] = [
  { head: "AGENT" },
  { head: "PROJECT" },
  { head: "SERVER", rank: 2, flexible: true },
  { head: "FOLDER", rank: 3, flexible: true },
  { head: "SINCE", rank: 1 },
  { head: "HOOKS" },
  { head: "LAST EVENT" },
];

export const connectionRow = (connection: ListedConnection, nowMs: number): string[] => {
  const { agent, project, server, folder, connected_at, hooks, last_event_at, error } = connection;
  const age = (time: string) => formatAge(Math.max(0, nowMs - Date.parse(time)));
  const last = error ? stateOf(connection) : last_event_at ? age(last_event_at) : "never";
  const name = findAgent(agent)?.label ?? agent;
  return [name, project, server, folder ?? "all", age(connected_at), hooks ?? "none", last];
};

const stateOf = ({ error_status }: ListedConnection): string => {
  if (error_status === null) return "server away";
  return error_status === 401 ? "token not valid" : `refused (${error_status})`;
};

/** What is wrong with connections, a line each. */
export const faultLines = (connections: readonly ListedConnection[]): string[] =>
  connections.flatMap(({ agent, error, hooks_error }) => {
    const label = findAgent(agent)?.label ?? agent;
    return [error, hooks_error].flatMap((fault) => (fault === null ? [] : [`${label}: ${fault}`]));
  });

/** What keeps reports of hooks on this machine, if anything does. */
export const spoolLines = ({ waiting, dropped, refused, refusals, destinations }: SpoolStatus): string[] => [
  ...(waiting > 0 ? [`Reports of hooks waiting to be sent: ${waiting}.`] : []),
  ...destinations.flatMap(({ server, error }) => (error ? [`Cannot send to ${server}: ${error}`] : [])),
  ...(refused > 0 ? [`Reports refused: ${refused}, the newest because: ${refusals.at(-1)?.reason}`] : []),
  ...(dropped > 0 ? [`Reports deleted unsent, because too many were waiting: ${dropped}.`] : []),
];

/** Null: the agent has no hooks. */
type HookState = "ok" | "missing" | "not running" | "not trusted" | "unreadable" | null;

interface InstalledHooks {
  hooks: HookState;
  /** What is wrong, and what to do; null if nothing is. */
  hooks_error: string | null;
}

/** Checks the hooks of a connection. */
async function checkInstalledHooks({ agent: id, folder }: Connection): Promise<InstalledHooks> {
  const agent = findAgent(id);
  const path = agent && hooksPath(agent, folder);
  if (!agent || path === null) return { hooks: null, hooks_error: null };
  const again = `Run svc connect ${id} again.`;
  let text: string;
  try {
    text = readSettingsFile(path) ?? "";
  } catch (error) {
    return { hooks: "unreadable", hooks_error: (error as Error).message };
  }
  const commands = hookCommandsIn(text, agent);
  if (commands.length === 0)
    return hasPlugin(text)
      ? { hooks: "ok", hooks_error: null }
      : { hooks: "missing", hooks_error: `${path} has no hooks of svc. ${again}` };
  for (const command of commands) {
    const fault = await faultOf(command, folder);
    if (fault !== null) return { hooks: "not running", hooks_error: `${path}: ${fault}. ${again}` };
  }
  if (id === "codex" && (await codexTrust(folder ?? process.cwd())) === "untrusted")
    return { hooks: "not trusted", hooks_error: untrustedHooks };
  return { hooks: "ok", hooks_error: null };
}

/** The file of an agent's hooks; null if it has none. */
function hooksPath(agent: Agent, folder: string | null): string | null {
  const file = agent.files[folder === null ? "user" : "project"].find(({ holds }) => holds.includes("hooks"));
  return file ? settingsPath(agent, file, folder ?? process.cwd()) : null;
}

/** The commands in a file of JSON, or in a script, whose strings are JSON too. */
function hookCommandsIn(text: string, { id }: Agent): string[] {
  const strings = [...text.matchAll(/"(?:[^"\\\n]|\\.)*"/g)].flatMap(([literal]) => {
    try {
      return [JSON.parse(literal) as string];
    } catch {
      return []; // a string of JavaScript alone
    }
  });
  return [...new Set(strings.filter((one) => isHookCommand(one, id)))];
}

/** The plugin of Claude Code brings its own hooks. */
const hasPlugin = (text: string): boolean => /"svc@svc"\s*:\s*true/.test(text);

/**
 * Why a hook does not run; null if it does. A project's settings can be those of anyone who may commit to it,
 * so nothing in them is started here.
 */
async function faultOf(command: string, folder: string | null): Promise<string | null> {
  const program = programIn(command);
  try {
    accessSync(program, constants.X_OK);
  } catch {
    return `${program} cannot be executed`;
  }
  return folder === null ? checkHook(command) : null;
}
