/** Reads and replaces settings files of other programs. */
import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, resolve } from "node:path";
import { CommandError } from "../../../command.ts";

/** A settings file of one agent that cannot be read or changed, which is no reason to leave out the others. */
export class SettingsFileError extends CommandError {}

/** The text of a file; null if it does not exist. @throws SettingsFileError if it is not a text file */
export function readSettingsFile(path: string): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(readFileSync(path));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return null;
    throw new SettingsFileError(`Cannot read ${path}: ${message}`);
  }
}

/** @throws SettingsFileError if the file, or the folder that it would be created in, cannot be written */
export function requireWritable(path: string): void {
  const target = linkTarget(path);
  const places = existsSync(target) ? [target, dirname(target)] : [existingFolder(target)];
  for (const place of places)
    try {
      accessSync(place, constants.W_OK);
      // root may write anything; a file that is marked read-only is meant to stay as it is
      if (place === target && (statSync(place).mode & 0o200) === 0) throw new Error("the file is read-only");
    } catch (error) {
      throw new SettingsFileError(`Cannot write ${path}: ${(error as Error).message}. Nothing was changed.`);
    }
}

/** The nearest folder above a path that exists. */
function existingFolder(path: string): string {
  const folder = dirname(path);
  return existsSync(folder) || folder === path ? folder : existingFolder(folder);
}

/** Where a chain of symbolic links ends, also if there is no file yet. */
function linkTarget(path: string, linksMax = 40): string {
  const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink();
  if (!isLink || linksMax === 0) return path;
  return linkTarget(resolve(dirname(path), readlinkSync(path)), linksMax - 1);
}

/**
 * Replaces a file, or the file that it links to; null deletes it. The mode stays, and a new file that may
 * hold a token is readable only by the user. A crash leaves the old file or the new one.
 */
export function writeSettingsFile(path: string, text: string | null): void {
  const target = linkTarget(path);
  if (text === null) {
    rmSync(target, { force: true });
    return;
  }
  const temporary = `${target}.svc-${process.pid}`;
  try {
    mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
    const mode = statSync(target, { throwIfNoEntry: false })?.mode ?? 0o600;
    writeFileSync(temporary, text, { mode: 0o600 });
    chmodSync(temporary, mode & 0o7777);
    renameSync(temporary, target);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw new SettingsFileError(`Cannot write ${path}: ${(error as Error).message}`);
  }
}
