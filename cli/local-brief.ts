/** A brief from the SQLite file on this machine, without the API and the website in this process. */
import { withBriefReads } from "../db/brief-reads.ts";
import { adminCaller } from "../src/core/auth/caller.ts";
import { readConfig } from "../src/core/config.ts";
import { listProjects } from "../src/feed/projects/projects.ts";
import type { Project } from "../src/feed/projects/schema.ts";
import { brief } from "../src/overview/brief/brief.ts";
import type { Brief, BriefQuery } from "../src/overview/brief/schema.ts";
import { databaseFile } from "./login/target.ts";
import type { ListProjects } from "./repository/current-project.ts";

/**
 * @param query makes the query; it gets a function that lists the projects
 * @returns null if the whole service has to answer: from Postgres, from a file that is not ready to be read,
 * or with an error
 */
export async function localBrief(
  dataDir: string | undefined,
  query: (list: ListProjects) => Promise<BriefQuery>,
): Promise<Brief | null> {
  try {
    const config = readConfig({ ...process.env, ...(dataDir !== undefined && { SVC_DATA_DIR: dataDir }) });
    const path = databaseFile(config.databaseUrl);
    if (path === null) return null;
    return await withBriefReads(path, async (data) => {
      const secret = config.signingSecret || (await data.setting("signing_secret"));
      if (secret === null) return null;
      const ctx = { data, config, secret, now: () => Date.now() * 1000 };
      return brief(ctx, await query(() => allProjects(data)), adminCaller);
    });
  } catch {
    return null;
  }
}

async function allProjects(data: Parameters<typeof listProjects>[0]): Promise<Project[]> {
  const projects: Project[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = await listProjects(data, cursor ? { cursor } : {}, adminCaller);
    projects.push(...page.projects);
    cursor = page.next_cursor;
  }
  return projects;
}
