/**
 * Writes planned changes. Records come before the files: a crash in between leaves records of files that are
 * unchanged, which `svc disconnect` ignores, and every file is the old one or the new one.
 */
import { structuredPatch } from "diff";
import { escapeControls } from "../../../../src/core/lib/strings/display-text.ts";

import { styles } from "../../../output/styles.ts";
import {
  modeOf,
  readSettingsFile,
  requireWritable,
  SettingsFileError,
  writeSettingsFile,
} from "../settings/settings-file.ts";
import {
  type ConnectChange,
  type FileChange,
  isSameRecord,
  readRecords,
  type SettingsRecord,
  writeRecords,
} from "./file-changes.ts";

export const isChanged = ({ before, after }: FileChange): boolean => before !== after;

/** @throws SettingsFileError if a file cannot be written or has changed since the plan; then nothing is written */
export function applyConnect(files: readonly ConnectChange[]): void {
  const changed = files.filter(isChanged);
  requireCurrent(changed);
  const records = files.map(({ record }) => record);
  writeRecords([
    ...readRecords().filter((one) => !records.some((other) => isSameRecord(one, other))),
    ...records,
  ]);
  for (const file of files)
    if (isChanged(file) || isOpen(file)) writeSettingsFile(file.path, file.after, privateMode(file));
}

/** Only the user can read a file that holds a token. */
const privateMode = ({ record: { mode } }: ConnectChange): number | undefined =>
  mode === null ? undefined : mode & 0o700;

/** Whether others can read a file that will hold a token. */
export const isOpen = (file: ConnectChange): boolean =>
  file.record.mode !== null && modeOf(file.path) !== privateMode(file);

/** Writes the files without svc's settings, then forgets the records. */
export function applyDisconnect(files: readonly FileChange[], records: readonly SettingsRecord[]): void {
  const changed = files.filter(isChanged);
  requireCurrent(changed);
  for (const { path, after } of changed) {
    const mode = records.find((one) => one.path === path)?.mode;
    // What the user has set since stays.
    const isOurs = mode != null && modeOf(path) === (mode & 0o700);
    writeSettingsFile(path, after, isOurs ? mode : undefined);
  }
  writeRecords(readRecords().filter((one) => !records.some((other) => isSameRecord(one, other))));
}

/** @throws SettingsFileError if a file cannot be written, or has changed since it was read */
export function requireCurrent(files: readonly FileChange[]): void {
  for (const { path, before } of files) {
    requireWritable(path);
    if (readSettingsFile(path) !== before)
      throw new SettingsFileError(
        `${path} changed in the meantime. Nothing was written; run the command again.`,
      );
  }
}

/** The diff of a file. Of each token, it shows only the start. */
export function diffText({ path, before, after }: FileChange, isColored: boolean): string {
  const { hunks } = structuredPatch(path, path, before ?? "", after ?? "", "", "", { context: 2 });
  const plain = (line: string) => line;
  const styleOf = (line: string) =>
    !isColored ? plain : line.startsWith("-") ? styles.red : line.startsWith("+") ? styles.green : plain;
  const lines = hunks.flatMap(({ oldStart, oldLines, newStart, newLines, lines }) => [
    (isColored ? styles.cyan : plain)(`@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`),
    ...lines.map((line) => styleOf(line)(escapeControls(withoutTokens(line.replace(/\r$/, ""))))),
  ]);
  const from = before === null ? "/dev/null" : path;
  const to = after === null ? "/dev/null" : path;
  return [`--- ${from}`, `+++ ${to}`, ...lines].join("\n");
}

/** Shows text without the tokens in it: a terminal is seen, shared, and recorded. */

/** What is left of a token: enough to tell two apart. */
const start = (token: string): string => `${token.length > 16 ? token.slice(0, 8) : ""}…`;

const svcToken = /\bsvc_\w{40}\b/g;

/** In a header, and in the path that telemetry goes to. References to variables are no tokens. */
const sentToken = /(\b(?:Bearer|Basic)(?: |%20)|\/api\/otlp\/t\/)([^\s"'\\/${}…]{6,})(?!…)/g;

/** Of other programs, in settings next to those of svc. */
const namedSecret =
  /((?:token|secret|password|api_?key)[\w-]*["']?\s*[:=]\s*["'])([^\s"'\\${}…]{12,})(?=["'])/gi;

/** The text with all but the start of each token removed. */
export const withoutTokens = (text: string): string =>
  text
    .replace(svcToken, start)
    .replace(sentToken, (_, before: string, token: string) => before + start(token))
    .replace(namedSecret, (_, before: string, secret: string) => before + start(secret));
