/** Plans the new text of each settings file, and of each file without what svc wrote. */
import { join } from "node:path";
import { scriptMarker } from "../../../../src/api/plugins/opencode.ts";
import type { AgentFile, AgentId } from "../../../../src/core/agents/agents.ts";
import { CommandError } from "../../../command-errors.ts";
import { configFolder } from "../../../login/user-folders.ts";
import { type Scope, settingsPath } from "../hook-command.ts";
import { type Edit, type Editor, type Settings, SettingsError } from "../settings/edit.ts";
import { jsonEditor } from "../settings/json-editor.ts";
import { modeOf, readSettingsFile, SettingsFileError, writeSettingsFile } from "../settings/settings-file.ts";
import { tomlEditor } from "../settings/toml-editor.ts";
import { type AgentSetup, type Change, isOwnItem, keptInVariable } from "../writers/writer.ts";
import { writers } from "../writers/writers.ts";

export interface FileChange {
  path: string;
  /** Null: no file. */
  before: string | null;
  after: string | null;
}

export interface ConnectChange extends FileChange {
  after: string;
  record: SettingsRecord;
}

const recordKey = ({ agent, scope, projectFolder }: AgentSetup): RecordKey => ({
  agent: agent.id,
  scope,
  folder: scope === "user" ? null : projectFolder,
});

const editorOf = (path: string): Editor => (path.endsWith(".toml") ? tomlEditor : jsonEditor);

/** Runs an edit, and names the file if its settings are in the way. */
function named<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    throw new SettingsFileError(`Cannot change ${path}: ${error.message}. Nothing was changed.`);
  }
}

/** The new text of every settings file of an agent, also of those that stay as they are. */
export function planConnect(setup: AgentSetup): { files: ConnectChange[]; notes: string[] } {
  const pathOf = (file: AgentFile) => settingsPath(setup.agent, file, setup.projectFolder);
  const current = (file: AgentFile): Settings => {
    const path = pathOf(file);
    return named(path, () => editorOf(path).parse(readSettingsFile(path) ?? ""));
  };
  const { changes, notes } = writers[setup.agent.id](setup, current);
  const records = readRecords();
  const files = changes.map((change): ConnectChange => {
    const path = pathOf(change.file);
    const before = readSettingsFile(path);
    const after = named(path, () => newText(path, before, change));
    return { path, before, after, record: recordFor(setup, path, before, after, change, records) };
  });
  return { files, notes };
}

function newText(path: string, before: string | null, change: Change): string {
  if ("edits" in change) return editorOf(path).apply(before ?? "", change.edits);
  if (before !== null && !before.startsWith(scriptMarker))
    throw new SettingsError("svc did not write the file that is there");
  return change.text;
}

/** Whether a text holds one of the tokens that svc writes. */
export const holdsToken = ({ token, telemetryToken }: AgentSetup, text: string): boolean =>
  [token, telemetryToken].some((one) => one && one !== keptInVariable && text.includes(one)) ||
  /\bsvc_\w{40}\b/.test(text);

/** The mode of a file that others can read; null if they cannot, or if there is none. */
function openMode(path: string): number | null {
  const mode = modeOf(path);
  return mode !== null && (mode & 0o077) !== 0 ? mode : null;
}

/** What came before stays that of the first change, unless the file has changed since. */
function recordFor(
  setup: AgentSetup,
  path: string,
  before: string | null,
  after: string,
  change: Change,
  records: readonly SettingsRecord[],
): SettingsRecord {
  const key = recordKey(setup);
  const former = records.find((one) => isSameRecord(one, { ...key, path }));
  const edits: Edit[] = "edits" in change ? change.edits : [];
  const own = edits.filter((edit) => !("isShared" in edit));
  return {
    ...key,
    path,
    before: former ? textBefore(former, before) : before,
    mode: former?.mode ?? (holdsToken(setup, after) ? openMode(path) : null),
    after: hashText(after),
    values: own.flatMap((edit) => ("value" in edit ? [edit.path] : [])),
    lists: own.flatMap((edit) => ("value" in edit ? [] : [edit.path])),
  };
}

/** The text of a file without the changes of a record. */
export function planDisconnect(record: SettingsRecord): FileChange {
  const before = readSettingsFile(record.path);
  return { path: record.path, before, after: textBefore(record, before) };
}

/** Byte for byte the text from before, if nothing else changed; else the text without what svc wrote. */
function textBefore(record: SettingsRecord, text: string | null): string | null {
  if (text === null) return null;
  if (hashText(text) === record.after) return record.before;
  const { path, values, lists, agent } = record;
  if (values.length + lists.length === 0) return text.startsWith(scriptMarker) ? record.before : text;
  return named(path, () => {
    const editor = editorOf(path);
    const edits: Edit[] = [
      ...values.map((value) => ({ path: value, value: null })),
      ...lists.map((list) => ({
        path: list,
        item: null,
        isOurs: (item: Parameters<typeof isOwnItem>[1]) => isOwnItem(agent, item),
      })),
    ];
    const rest = editor.remove(text, edits, editor.parse(record.before ?? ""));
    const isEmpty = Object.keys(editor.parse(rest)).length === 0;
    return record.before === null && isEmpty ? null : rest;
  });
}

/**
 * What `svc connect` changed in settings files, so that `svc disconnect` can undo it: the text from before,
 * the hash of the text after, and the paths that were set. The file holds copies of settings, which may hold
 * secrets, so only the user can read it.
 */
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

type RecordKey = Pick<SettingsRecord, "agent" | "scope" | "folder">;

export const recordsPath = (): string => join(configFolder(), "settings-changes.json");

const hashText = (text: string): string => new Bun.CryptoHasher("sha256").update(text).digest("hex");

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
