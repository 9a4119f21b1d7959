/** Reads and replaces settings files of other programs. */
import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import { CommandError } from "../../../command-errors.ts";
import { existingFolder, linkTarget } from "../../../repository/real-path.ts";

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

/** The permissions of a file, through links; null if there is none. */
export function modeOf(path: string): number | null {
  const mode = statSync(path, { throwIfNoEntry: false })?.mode;
  return mode === undefined ? null : mode & 0o7777;
}

/**
 * Replaces a file, or the file that it links to; null deletes it. A crash leaves the old file or the new one.
 * @param mode by default the present one; a new file that may hold a token is readable only by the user
 */
export function writeSettingsFile(path: string, text: string | null, mode = modeOf(path) ?? 0o600): void {
  const target = linkTarget(path);
  if (text === null) {
    rmSync(target, { force: true });
    return;
  }
  const temporary = `${target}.svc-${process.pid}`;
  try {
    mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
    writeFileSync(temporary, text, { mode: 0o600 });
    chmodSync(temporary, mode);
    renameSync(temporary, target);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw new SettingsFileError(`Cannot write ${path}: ${(error as Error).message}`);
  }
}
