/** The hooks of svc that are in the settings of an agent, and whether they run. */
import { accessSync, constants } from "node:fs";
import { type Agent, findAgent } from "../../../src/core/agents/agents.ts";
import type { Connection } from "../connections.ts";
import { codexTrust, untrustedHooks } from "./codex-trust.ts";
import { isHookCommand, programIn } from "./hook-command.ts";
import { settingsPath } from "./places.ts";
import { checkHook } from "./self-check.ts";
import { readSettingsFile } from "./settings/settings-file.ts";

/** Null: the agent has no hooks. */
export type HookState = "ok" | "missing" | "not running" | "not trusted" | "unreadable" | null;

export interface InstalledHooks {
  hooks: HookState;
  /** What is wrong, and what to do; null if nothing is. */
  hooks_error: string | null;
}

/** Checks the hooks of a connection. */
export async function checkInstalledHooks({ agent: id, folder }: Connection): Promise<InstalledHooks> {
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
