/** The shell command that runs this program, for the settings of agents. */
import { fileURLToPath } from "node:url";
import type { AgentId } from "../../../src/core/agents/agents.ts";

/** This program: the executable, or Bun and its source. Absolute paths, because hooks have their own PATH. */
export const ownProgram = (): string[] =>
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

/**
 * Whether a hook's command is of svc, also one that another installation or version wrote. A downloaded
 * executable can have its platform in its name.
 */
export const isHookCommand = (command: unknown, agent: AgentId): boolean =>
  typeof command === "string" &&
  new RegExp(`(^|[\\s/\\\\"'])(svc[\\w.-]*|main\\.ts)['"]? hook ${agent}$`).test(command);
