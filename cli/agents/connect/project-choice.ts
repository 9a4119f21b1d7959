/** Which project the sessions of an agent belong to. */
import { createInterface } from "node:readline/promises";
import { type ApiAccess, requireProject } from "../../api.ts";
import type { Schemas } from "../../client/client.ts";
import { CommandError, UsageError } from "../../command.ts";
import { terminalText } from "../../output/terminal.ts";
import { originOf } from "../../repository/git-place.ts";
import { listProjects, projectsLinkedTo } from "../../repository/linked-projects.ts";

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
  const projects = await listProjects(access);
  const origin = originOf(cwd);
  const [first, ...others] = projects;
  if (!first)
    throw new CommandError(
      `No project ${access.place}. Link one: svc project link NAME --repo ${origin?.path ?? "owner/name"}`,
    );
  const [linked, ...moreLinked] = origin ? projectsLinkedTo(projects, origin) : [];
  if (linked && moreLinked.length === 0) return linked.slug;
  return others.length === 0 ? first.slug : askForProject(projects);
}

async function askForProject(projects: readonly Schemas["Project"][]): Promise<string> {
  const names = projects.map(({ slug }) => slug);
  const listed = names.slice(0, 20).join(", ");
  if (!process.stdin.isTTY) throw new UsageError(`Choose a project with --project: ${listed}.`);
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = (await terminal.question(terminalText(`Project (${listed}): `))).trim();
    if (!names.includes(answer)) throw new UsageError(`No project "${answer}".`);
    return answer;
  } finally {
    terminal.close();
  }
}
