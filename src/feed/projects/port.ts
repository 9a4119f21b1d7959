/** The part of the data port that finds the projects of repositories. */

import type { SourceRepository } from "../../core/forges/schema.ts";
import type { Projects } from "../../core/rows.ts";
import type { LinkedRepository } from "../rows.ts";

export interface ForgeReads {
  /**
   * Slugs of the projects linked to these repositories. Keys are repository names in lower case. Of a name
   * that several forges have, it is the one on github.com; without that, the name is left out.
   */
  projectsOfRepos(repos: string[]): Promise<Map<string, string>>;
  /**
   * The project linked to a repository of this forge and host: matched by name, ignoring case, else by the
   * forge's id. A GitHub project on github.com also takes repositories of other GitHub hosts that no project
   * is linked to: of an Enterprise server that `SVC_GITHUB_API_URL` names.
   */
  projectOfRepository(repository: SourceRepository): Promise<LinkedRepository | null>;
  /** Whether a forge has sent a webhook for one of these projects. */
  hasWebhook(projects: Projects): Promise<boolean>;
}

export interface ForgeWrites {
  /** Stores the forge's id of a linked repository, and its new name after a rename. */
  saveRepositoryId(repository: SourceRepository): Promise<void>;
}
