/** A brief from the SQLite file on this machine, without the API and the website in this process. */
import { adminCaller } from "../src/core/auth/caller.ts";
import { listProjects } from "../src/feed/projects/projects.ts";
import type { Project } from "../src/feed/projects/schema.ts";
import { brief } from "../src/overview/brief/brief.ts";
import type { Brief, BriefQuery } from "../src/overview/brief/schema.ts";
import { localAnswer } from "./local-reads.ts";
import type { ListProjects } from "./repository/current-project.ts";

/**
 * @param query makes the query; it gets a function that lists the projects
 * @returns null if the whole service has to answer
 */
export const localBrief = (
  dataDir: string | undefined,
  query: (list: ListProjects) => Promise<BriefQuery>,
): Promise<Brief | null> =>
  localAnswer(dataDir, async ({ data, config, now }) => {
    const secret = config.signingSecret || (await data.setting("signing_secret"));
    if (secret === null) return null;
    return brief({ data, config, secret, now }, await query(() => allProjects(data)), adminCaller);
  });

async function allProjects(data: Parameters<typeof listProjects>[0]): Promise<Project[]> {
  const projects: Project[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = await listProjects(data, cursor ? { cursor } : {}, adminCaller);
    projects.push(...page.projects);
    cursor = page.next_cursor;
  }
  return projects;
}
