/** What `git` says of a folder. */

/** The output of git; null if it fails. */
function git(folder: string, ...args: string[]): string | null {
  try {
    const { success, stdout } = Bun.spawnSync(["git", "-C", folder, ...args], { stderr: "ignore" });
    return success ? stdout.toString().trim() : null;
  } catch {
    return null; // git is not installed
  }
}

/** The repository that holds a folder, else the folder. */
export const projectFolderOf = (cwd: string): string => git(cwd, "rev-parse", "--show-toplevel") || cwd;

/** The files of the checkout that differ from its commit, new ones too: paths from its root. */
export const changedFiles = (folder: string): string[] =>
  (git(folder, "status", "--porcelain", "--no-renames", "--untracked-files=all", "-z") ?? "")
    .split("\0")
    .flatMap((line) => line.replace(/^.?. /, "") || []);

/** Whether git tracks a file. */
export const isTracked = (folder: string, path: string): boolean =>
  git(folder, "ls-files", "--error-unmatch", "--", path) !== null;

/** Whether a file can end up in a commit. */
export const isCommittable = (folder: string, path: string): boolean =>
  git(folder, "rev-parse", "--git-dir") !== null && git(folder, "check-ignore", "-q", "--", path) === null;

/** The file in which git keeps patterns of files to ignore on this machine; null outside of a repository. */
export const excludeFile = (folder: string): string | null =>
  git(folder, "rev-parse", "--path-format=absolute", "--git-path", "info/exclude");
