/**
 * Errors of commands, which are one line each. Help loads this: it imports no schemas, which were a seventh
 * of its CPU (`bun run bench help`).
 */
import type { paths } from "./client/api.d.ts";
import { writeError } from "./output/terminal.ts";

/** Wrong usage: one line on standard error, exit code 2. */
export class UsageError extends Error {
  override name = "UsageError";
}

/** Expected errors by class name. Their message is printed as it is. */
const expectedErrors = new Set([
  "UsageError",
  "Problem",
  "ConfigError",
  "DatabaseError",
  "BackupError",
  "CommandError",
  "ApiError",
]);

/** A command that failed: one line on standard error, exit code 1. */
export class CommandError extends Error {
  override name = "CommandError";
}

/** True for errors whose message is meant for the user. */
export const isExpected = (error: unknown): error is Error =>
  error instanceof Error && expectedErrors.has(error.name);

/** The commands that list what an error says is not there, by the path of the API that lists it. */
const listCommands: Partial<Record<keyof paths, string>> = { "/projects": "svc project list" };

/** Prints an error as one line and exits: 2 for wrong usage, otherwise 1; 0 for a closed pipe. */
export function fail(error: unknown): never {
  const { name, message, code, collection } = error as Error & { code?: string; collection?: keyof paths };
  if (code === "EPIPE") process.exit(0); // the reader closed the pipe, as `head` does
  if (name === "UsageError") {
    writeError(`svc: ${message}\n`);
    process.exit(2);
  }
  const line = expectedErrors.has(name) || code ? message : `unexpected error: ${message}`;
  const list = collection && listCommands[collection];
  const hint = list === undefined ? "" : ` See ${list}.`;
  writeError(`svc: ${line.replaceAll("\n", " ")}${hint}\n`);
  process.exit(1);
}
