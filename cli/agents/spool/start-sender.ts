/** Starts the sender as a process of its own. `svc hook` imports this: it imports only Node modules. */
import { fileURLToPath } from "node:url";
import { isSenderAlive } from "./sender-lock.ts";
import { listSpool, spoolFolder } from "./spool.ts";

/** The word that starts the sender, see cli/main.ts: internal, so help does not list it. */
const senderWord = "send-spool";

const senderCommand = (): string[] =>
  Bun.isStandaloneExecutable
    ? [process.execPath, senderWord]
    : [process.execPath, fileURLToPath(new URL("../../main.ts", import.meta.url)), senderWord];

/**
 * Starts a sender unless one runs. It has a session of its own and no open files of this process, so that it
 * outlives an agent that kills the process group of its hooks.
 */
export function startSender(folder = spoolFolder()): void {
  if (isSenderAlive(folder)) return;
  Bun.spawn(senderCommand(), { stdio: ["ignore", "ignore", "ignore"], cwd: "/", detached: true }).unref();
}

/** Starts a sender if something waits. */
export function resumeSending(): void {
  try {
    if (listSpool().length > 0) startSender();
  } catch {} // a command does its own work though nothing can be sent
}
