/** Keeps tokens out of commits: a file in a repository that holds one must be one that git ignores. */
import { appendFileSync, mkdirSync, readFileSync } from "node:fs";
import { dirname, relative, sep } from "node:path";
import { excludeFile, isCommittable, isTracked } from "../../repository/git.ts";
import type { ConnectChange } from "./changes/file-changes.ts";
import { SettingsFileError } from "./settings/settings-file.ts";
import type { AgentSetup } from "./writers/writer.ts";

/**
 * Adds files with a token to `.git/info/exclude`, which is never committed.
 *
 * @throws SettingsFileError if git tracks such a file
 */
export function protectTokens({ projectFolder }: AgentSetup, files: readonly ConnectChange[]): void {
  for (const { path, after } of files) {
    const inside = relative(projectFolder, path);
    if (inside.startsWith("..") || !/\bsvc_\w{40}\b/.test(after)) continue;
    if (isTracked(projectFolder, path))
      throw new SettingsFileError(
        `Git tracks ${path}, and the token would end up in a commit. Nothing was changed. ` +
          `Untrack it first: git rm --cached ${inside}`,
      );
    if (isCommittable(projectFolder, path)) exclude(projectFolder, `/${inside.replaceAll(sep, "/")}`);
  }
}

function exclude(folder: string, pattern: string): void {
  const path = excludeFile(folder);
  if (path === null) return;
  mkdirSync(dirname(path), { recursive: true });
  let text = "";
  try {
    text = readFileSync(path, "utf8");
  } catch {} // git creates it by its template only
  if (!text.split(/\r?\n/).includes(pattern))
    appendFileSync(path, `${text === "" || text.endsWith("\n") ? "" : "\n"}${pattern}\n`);
}
