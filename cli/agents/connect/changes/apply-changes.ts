/**
 * Writes planned changes. Records come before the files: a crash in between leaves records of files that are
 * unchanged, which `svc disconnect` ignores, and every file is the old one or the new one.
 */
import {
  readSettingsFile,
  requireWritable,
  SettingsFileError,
  writeSettingsFile,
} from "../settings/settings-file.ts";
import type { ConnectChange, FileChange } from "./file-changes.ts";
import { isSameRecord, readRecords, type SettingsRecord, writeRecords } from "./settings-record.ts";

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
  for (const { path, after } of changed) writeSettingsFile(path, after);
}

/** Writes the files without svc's settings, then forgets the records. */
export function applyDisconnect(files: readonly FileChange[], records: readonly SettingsRecord[]): void {
  const changed = files.filter(isChanged);
  requireCurrent(changed);
  for (const { path, after } of changed) writeSettingsFile(path, after);
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
