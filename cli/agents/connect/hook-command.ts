/** The shell command that runs this program, for the settings of agents. */
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Agent, type AgentFile, type AgentId, agents } from "../../../src/core/agents/agents.ts";
import { configFolder } from "../../login/user-folders.ts";

/** This program: the executable, or Bun and its source. Absolute paths, because hooks have their own PATH. */
const ownProgram = (): string[] =>
  Bun.isStandaloneExecutable
    ? [process.execPath]
    : [process.execPath, fileURLToPath(new URL("../../main.ts", import.meta.url))];

/** The command of a hook, quoted for the shell that runs it. */
export const hookCommand = (agent: AgentId, program = ownProgram(), platform = process.platform): string =>
  [...program.map((word) => quoted(word, platform)), "hook", agent].join(" ");

const quoted = (word: string, platform: NodeJS.Platform): string => {
  if (/^[\w./:@%+=-]+$/.test(word)) return word;
  return platform === "win32" ? `"${word}"` : `'${word.replaceAll("'", "'\\''")}'`;
};

/** The program that a command starts. */
export function programIn(command: string): string {
  const [, single, double, plain] = /^(?:'((?:[^']|'\\'')*)'|"([^"]*)"|(\S+))/.exec(command) ?? [];
  return single?.replaceAll("'\\''", "'") ?? double ?? plain ?? "";
}

/** Folders from which a package runner starts a program once: npx, bunx, pnpm and yarn dlx, uvx, and pipx. */
const runnerCache = /[\\/](_npx|bunx-[^\\/]+|dlx(-[^\\/]+)?|uv[\\/]archive-v\d+|pipx[\\/]\.?cache)[\\/]/;

/** The part of this program that is in the cache of a package runner, which deletes it; null if none is. */
export const inRunnerCache = (program = ownProgram()): string | null =>
  program.find((path) => runnerCache.test(path)) ?? null;

/** What a person types to run this program: `svc` where that is on PATH to stay, else its path. */
export function typedCommand(): string {
  const found = Bun.which("svc");
  const isInstalled = found !== null && !runnerCache.test(found);
  return isInstalled || !Bun.isStandaloneExecutable ? "svc" : quoted(process.execPath, process.platform);
}

/**
 * Whether a hook's command is of svc, also one that another installation or version wrote. A downloaded
 * executable can have its platform in its name.
 */
export const isHookCommand = (command: unknown, agent: AgentId): boolean =>
  typeof command === "string" &&
  new RegExp(`(^|[\\s/\\\\"'])(svc[\\w.-]*|main\\.ts)['"]? hook ${agent}( \\|\\| :)?$`).test(command);

/** Where agents are on this machine: their programs and settings files. Reads their own variables. */
export type Scope = "user" | "project";

/** The folder of an agent's user settings. */
function settingsFolder({ settings }: Agent): string {
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
