/**
 * What `svc connect` changed in settings files, so that `svc disconnect` can undo it: the text from before,
 * the hash of the text after, and the paths that were set. The file holds copies of settings, which may hold
 * secrets, so only the user can read it.
 */
import { join } from "node:path";
import type { AgentId } from "../../../../src/core/agents/agents.ts";
import { CommandError } from "../../../command.ts";
import { configFolder } from "../../../login/user-folders.ts";
import type { Scope } from "../hook-command.ts";
import { readSettingsFile, writeSettingsFile } from "../settings/settings-file.ts";

export interface SettingsRecord {
  agent: AgentId;
  scope: Scope;
  /** The folder of the project; null for the scope `user`. */
  folder: string | null;
  path: string;
  /** The text before the first change; null if there was no file. */
  before: string | null;
  /** The mode before svc took it away from others, as a token came into the file; null: it stayed. */
  mode: number | null;
  /** SHA-256 of the text that svc wrote, in hex. */
  after: string;
  /** Paths of the values that svc set. */
  values: string[][];
  /** Paths of the lists that have an item of svc. */
  lists: string[][];
}

export type RecordKey = Pick<SettingsRecord, "agent" | "scope" | "folder">;

export const recordsPath = (): string => join(configFolder(), "settings-changes.json");

export const hashText = (text: string): string => new Bun.CryptoHasher("sha256").update(text).digest("hex");

/** What `svc connect` wrote on this machine, for `svc disconnect`. */
export function readRecords(): SettingsRecord[] {
  const path = recordsPath();
  const text = readSettingsFile(path);
  if (text === null) return [];
  try {
    const { files } = JSON.parse(text) as { files: SettingsRecord[] };
    if (Array.isArray(files)) return files;
  } catch {} // damaged, as below
  throw new CommandError(`${path} is damaged. Move it away; it has copies of the settings that svc changed.`);
}

export const writeRecords = (files: readonly SettingsRecord[]): void =>
  writeSettingsFile(recordsPath(), files.length > 0 ? `${JSON.stringify({ files }, null, 2)}\n` : null);

export const isSameRecord = (a: RecordKey & { path: string }, b: RecordKey & { path: string }): boolean =>
  a.agent === b.agent && a.scope === b.scope && a.folder === b.folder && a.path === b.path;

/** The records of one agent and place. */
export const recordsOf = (key: RecordKey, records = readRecords()): SettingsRecord[] =>
  records.filter((one) => isSameRecord(one, { ...key, path: one.path }));
