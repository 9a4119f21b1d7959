/** What every command shares: the folder flag, and one line for whatever goes wrong. */
import { userInfo } from "node:os";
import type { ArgsDef, CommandContext } from "citty";
import { isActor } from "../src/wire.ts";

export const dataDirFlag = {
  "data-dir": { type: "string", description: "Folder of the database (SVC_DATA_DIR)", valueHint: "folder" },
} as const satisfies ArgsDef;

export const jsonFlag = { json: { type: "boolean", description: "Print JSON" } } as const satisfies ArgsDef;

export const byFlag = {
  by: { type: "string", description: "Who does it, <kind>:<name>", valueHint: "actor" },
} as const satisfies ArgsDef;

/** `--by`, or the user of this machine. */
export function userOf(by: string | undefined): string {
  const actor = by ?? `human:${userName()}`;
  if (!isActor(actor))
    throw new UsageError("--by takes <kind>:<name>, kind one of human, bot, runner, agent");
  return actor;
}

/** Bun takes the name from the environment; a bare one (a unit, a container) has none. */
function userName(): string {
  const { username } = userInfo();
  const name = username === "unknown" ? Bun.spawnSync(["id", "-un"]).stdout.toString() : username;
  return name.trim().replace(/\s/g, "-") || "unknown";
}

export const list = (text: string): string[] =>
  text
    .split(",")
    .map((word) => word.trim())
    .filter(Boolean);

/** A wrong call: said in one line, exit code 2. */
export class UsageError extends Error {
  override name = "UsageError";
}

/** Expected refusals, by the name of their class: their message is the line. */
const expected = new Set([
  "UsageError",
  "Problem",
  "ConfigError",
  "DatabaseError",
  "BackupError",
  "CommandError",
  "ApiError",
]);

/** Something that could not be done: said in one line, exit code 1. */
export class CommandError extends Error {
  override name = "CommandError";
}

export const isExpected = (error: unknown): error is Error =>
  error instanceof Error && expected.has(error.name);

export function fail(error: unknown): never {
  const { name, message, code } = error as Error & { code?: string };
  if (code === "EPIPE") process.exit(0); // whoever read us has seen enough
  if (name === "UsageError" || name === "CLIError") {
    process.stderr.write(`svc: ${message}\n`);
    process.exit(2);
  }
  const line = expected.has(name) || code ? message : `unexpected error: ${message}`;
  process.stderr.write(`svc: ${line.replaceAll("\n", " ")}\n`);
  process.exit(1);
}

/** Wraps the body of a command. */
export const run =
  <T extends ArgsDef>(body: (context: CommandContext<T>) => Promise<void>) =>
  (context: CommandContext<T>): Promise<void> =>
    body(context).catch(fail);

/**
 * Prints a line, and waits while whoever reads is slower than we are: nothing is lost when the process ends
 * behind it.
 */
export function say(line: string): Promise<void> {
  const written = Promise.withResolvers<void>();
  process.stdout.write(`${line}\n`, (error) => (error ? written.reject(error) : written.resolve()));
  return written.promise;
}
