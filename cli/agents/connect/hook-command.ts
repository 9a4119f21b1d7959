/** The shell command that runs this program, for the settings of agents. */
import { fileURLToPath } from "node:url";
import type { AgentId } from "../../../src/agents/agents.ts";

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

/** Whether a hook's command is of svc, also one that another installation or version wrote. */
export const isHookCommand = (command: unknown, agent: AgentId): boolean =>
  typeof command === "string" &&
  new RegExp(`(^|[\\s/\\\\"'])(svc|svc\\.exe|main\\.ts)['"]? hook ${agent}$`).test(command);
