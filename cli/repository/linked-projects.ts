/** The linked projects, and which of them a Git remote belongs to. */
import type { ApiAccess } from "../api.ts";
import { type Schemas, unwrap } from "../client/client.ts";
import type { GitRemote } from "./git-place.ts";

/** Lists every project that the token can read. */
export async function listProjects({ api }: Pick<ApiAccess, "api">): Promise<Schemas["Project"][]> {
  const projects: Schemas["Project"][] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = await unwrap(api.GET("/projects", { params: { query: cursor ? { cursor } : {} } }));
    projects.push(...page.projects);
    cursor = page.next_cursor ?? null;
  }
  return projects;
}

/**
 * The projects of a repository. The host only chooses between several: over SSH it can be an alias, and a
 * GitHub Enterprise server can be the deployment's default.
 */
export function projectsLinkedTo(
  projects: readonly Schemas["Project"][],
  { host, path }: GitRemote,
): readonly Schemas["Project"][] {
  const named = projects.filter(({ repo }) => repo.toLowerCase() === path.toLowerCase());
  const onHost = named.filter((project) => project.host === host);
  return onHost.length > 0 ? onHost : named;
}
