/** Which project the sessions of an agent belong to, and the folder of the project on this machine. */
import { createInterface } from "node:readline/promises";
import { type ApiAccess, requireProject } from "../../api.ts";
import { type Schemas, unwrap } from "../../client/client.ts";
import { CommandError, UsageError } from "../../command.ts";

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

/** Whether git tracks a file. */
export const isTracked = (folder: string, path: string): boolean =>
  git(folder, "ls-files", "--error-unmatch", "--", path) !== null;

/** Whether a file can end up in a commit. */
export const isCommittable = (folder: string, path: string): boolean =>
  git(folder, "rev-parse", "--git-dir") !== null && git(folder, "check-ignore", "-q", "--", path) === null;

/** The file in which git keeps patterns of files to ignore on this machine; null outside of a repository. */
export const excludeFile = (folder: string): string | null =>
  git(folder, "rev-parse", "--path-format=absolute", "--git-path", "info/exclude");

/** `owner/name` of a remote, over https or ssh; null for other URLs. */
export const repositoryOf = (remote: string): string | null =>
  /[/:]([^/:]+\/[^/:]+?)(?:\.git)?\/?$/.exec(remote)?.[1]?.toLowerCase() ?? null;

/** `--project`, else the project of the repository in `cwd`, else the only project; else asks. */
export async function chooseProject(
  access: Pick<ApiAccess, "api" | "place">,
  cwd: string,
  chosen: string | undefined,
): Promise<string> {
  if (chosen !== undefined) {
    await requireProject(access, chosen);
    return chosen;
  }
  const { projects } = await unwrap(access.api.GET("/projects", { params: { query: { limit: 100 } } }));
  const repository = repositoryOf(git(cwd, "remote", "get-url", "origin") ?? "");
  const [first, ...others] = projects;
  if (!first)
    throw new CommandError(
      `No project ${access.place}. Link one: svc project link NAME --repo ${repository ?? "owner/name"}`,
    );
  const ofRepository = projects.find(({ repo }) => repo.toLowerCase() === repository);
  return ofRepository?.slug ?? (others.length === 0 ? first.slug : askForProject(projects));
}

async function askForProject(projects: readonly Schemas["Project"][]): Promise<string> {
  const names = projects.map(({ slug }) => slug);
  const listed = names.slice(0, 20).join(", ");
  if (!process.stdin.isTTY) throw new UsageError(`Choose a project with --project: ${listed}.`);
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = (await terminal.question(`Project (${listed}): `)).trim();
    if (!names.includes(answer)) throw new UsageError(`No project "${answer}".`);
    return answer;
  } finally {
    terminal.close();
  }
}
