/**
 * The file of logins: the servers that `svc login` saved, with a token for each, and the current one. Only
 * the user can read it.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { CommandError } from "../command-errors.ts";
import { replaceFile } from "./private-file.ts";
import { configFolder } from "./user-folders.ts";

export interface Logins {
  /** URL of the server that commands use; null after `svc logout`. */
  current: string | null;
  /** By URL of the server. */
  servers: Record<string, { token: string }>;
}

/** The path of the file. */
export const loginPath = (
  env: Record<string, string | undefined> = process.env,
  platform: NodeJS.Platform = process.platform,
): string => join(configFolder(env, platform), "login.json");

/** @throws CommandError if the file cannot be read or is damaged */
export function readLogins(path = loginPath()): Logins {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    // ENOTDIR: HOME of a service user, such as /dev/null, has no folders
    if (code === "ENOENT" || code === "ENOTDIR") return { current: null, servers: {} };
    throw new CommandError(`Cannot read ${path}: ${message}`);
  }
  try {
    const { current, servers } = JSON.parse(text) as Partial<Logins>;
    return { current: current ?? null, servers: servers ?? {} };
  } catch {
    throw new CommandError(`${path} is damaged. Delete it, then run svc login again.`);
  }
}

/** Replaces the file; a crash leaves the old one or the new one. */
export function writeLogins(logins: Logins, path = loginPath()): void {
  try {
    replaceFile(path, `${JSON.stringify(logins, null, 2)}\n`);
  } catch (error) {
    throw new CommandError(`Cannot write ${path}: ${(error as Error).message}`);
  }
}
