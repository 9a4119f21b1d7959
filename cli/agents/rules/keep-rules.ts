/** Keeps the decisions of a project in the files of rules of a folder. */
import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Api } from "../../client/client.ts";
import { type Schemas, unwrap } from "../../client/client.ts";
import { CommandError } from "../../command-errors.ts";
import { isCommittable } from "../../repository/git.ts";
import {
  modeOf,
  readSettingsFile,
  requireWritable,
  SettingsFileError,
  writeSettingsFile,
} from "../connect/settings/settings-file.ts";
import { BrokenBlockError, findBlocks, linesOf, withBlock } from "./managed-block.ts";
import { repairConflict } from "./merge-conflicts.ts";
import { filesToKeep, headOf, rulesPaths } from "./rules-files.ts";
import { rulesBlock } from "./rules-text.ts";

export interface KeptFile {
  path: string;
  changed: boolean;
  /** A merge conflict touched the block. */
  conflict: boolean;
}

interface PlannedFile extends KeptFile {
  /** Null: the file held nothing else, and is deleted. */
  after: string | null;
}

/** What becomes of each file of rules that svc keeps; `block` null takes the blocks away. */
export function planRules(
  folder: string,
  project: string,
  block: readonly string[] | null,
  requested: readonly string[] = [],
): PlannedFile[] {
  const read = (path: string) => readSettingsFile(join(folder, path)) ?? "";
  const holds = (path: string) => hasBlock(path, read(path), project);
  const files = block ? filesToKeep(folder, requested, read, holds) : rulesPaths.filter(holds);
  return files.map((path) => {
    const before = readSettingsFile(join(folder, path));
    const text = before ?? headOf(path);
    const { after, conflict } = naming(path, () => edit(text, project, block));
    const isEmpty = block === null && [headOf(path).trim(), ""].includes(after.trim());
    return { path, conflict, changed: after !== before, after: isEmpty ? null : after };
  });
}

function edit(text: string, project: string, block: readonly string[] | null) {
  const repaired = repairConflict(text, project, block);
  return { after: repaired ?? withBlock(text, project, block), conflict: repaired !== null };
}

function hasBlock(path: string, text: string, project: string): boolean {
  return naming(
    path,
    () => repairConflict(text, project, null) !== null || findBlocks(linesOf(text), project).length > 0,
  );
}

/** @throws SettingsFileError that names the file whose block is broken */
function naming<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof BrokenBlockError)) throw error;
    throw new SettingsFileError(
      `${path}: ${error.message}. Delete what is left of it, and run svc rules again. Nothing was written.`,
    );
  }
}

/** Whether decisions of a project could be in files of a repository, and are in none. */
export const lacksRules = (folder: string, project: string): boolean =>
  isCommittable(folder, "AGENTS.md") &&
  !rulesPaths.some((path) => hasBlock(path, readSettingsFile(join(folder, path)) ?? "", project));

/** Writes the files that change, if all can be written. */
export function writeRules(folder: string, files: readonly PlannedFile[]): void {
  const changed = files.filter((file) => file.changed);
  for (const { path } of changed) requireWritable(join(folder, path));
  for (const { path, after } of changed) {
    const place = join(folder, path);
    if (after !== null) mkdirSync(dirname(place), { recursive: true });
    writeSettingsFile(place, after, modeOf(place) ?? 0o644);
  }
}

/** The block of a project, from its current decisions. @throws CommandError if the list has no end */
export async function loadRules(api: Api, project: string): Promise<string[]> {
  const decisions: Schemas["DecisionRecord"][] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const query = { limit: 200, ...(cursor && { cursor }) };
    const path = { slug: project };
    const page = await unwrap(api.GET("/projects/{slug}/decisions", { params: { path, query } }));
    if (page.next_cursor === cursor) throw new CommandError("The server lists the same decisions again.");
    decisions.push(...page.decisions);
    cursor = page.next_cursor;
  }
  return rulesBlock(project, decisions);
}
