/** Where agents are on this machine: their programs and settings files. Reads their own variables. */
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { type Agent, type AgentFile, agents } from "../../../src/core/agents/agents.ts";
import { configFolder } from "../../login/user-folders.ts";

export type Scope = "user" | "project";

/** The folder of an agent's user settings. */
export function settingsFolder({ settings }: Agent): string {
  const chosen = settings.env && process.env[settings.env];
  if (chosen) return chosen;
  const xdg = process.env.XDG_CONFIG_HOME || join(homedir(), ".config");
  return join({ home: homedir(), xdg, platform: dirname(configFolder()) }[settings.in], settings.path);
}

/** The path of a settings file. Of `x.json` and `x.jsonc`, the one that exists. */
export function settingsPath(agent: Agent, { base, path }: AgentFile, projectFolder: string): string {
  const chosen = agent.settings.env && process.env[agent.settings.env];
  // An agent with a settings folder of its own keeps all its files there.
  const home = chosen || homedir();
  const file = join({ home, settings: settingsFolder(agent), project: projectFolder }[base], path);
  return !existsSync(file) && existsSync(`${file}c`) ? `${file}c` : file;
}

/** The agents with a program on PATH or a settings folder. */
export const installedAgents = (): Agent[] =>
  Object.values(agents).filter(
    (agent) => Bun.which(agent.program) !== null || existsSync(settingsFolder(agent)),
  );
