/** The forges that a project's repository can be on, and how each names repositories and tasks in URLs. */
import { type Static, Type } from "@sinclair/typebox";
import { Choice, OpenChoice, Repo } from "../wire.ts";

interface ForgeRow {
  label: string;
  /** The host of a project that names none. */
  host: string;
  /** The repository names that the forge allows; they end up in URLs of its API. */
  repo: RegExp;
  repoShape: string;
  /** Path of the pages of issues and of pull requests, below the repository. */
  issues: string;
  pulls: string;
}

const ownerAndName = { repo: /^[\w.-]{1,100}\/[\w.-]{1,100}$/, repoShape: "owner/name" };

export const forges = {
  github: {
    label: "GitHub",
    host: "github.com",
    issues: "issues",
    pulls: "pull",
    repo: /^[A-Za-z0-9][A-Za-z0-9-]{0,38}\/[A-Za-z0-9._-]{1,100}$/,
    repoShape: "owner/name",
  },
  gitlab: {
    label: "GitLab",
    host: "gitlab.com",
    issues: "-/issues",
    pulls: "-/merge_requests",
    // GitLab allows 20 levels of subgroups.
    repo: /^[\w.-]{1,255}(\/[\w.-]{1,255}){1,21}$/,
    repoShape: "group/project or group/subgroup/project",
  },
  gitea: { ...ownerAndName, label: "Gitea", host: "gitea.com", issues: "issues", pulls: "pulls" },
  bitbucket: {
    ...ownerAndName,
    label: "Bitbucket",
    host: "bitbucket.org",
    issues: "issues",
    pulls: "pull-requests",
  },
} as const satisfies Record<string, ForgeRow>;

export type ForgeName = keyof typeof forges;
export const forgeNames = Object.keys(forges) as ForgeName[];

export const Forge = Choice(forgeNames, {
  description: "Forge of the repository; `gitea` is also Forgejo.",
  examples: ["github"],
});

/** As responses name it: a list that can grow. */
export const ForgeOfProject = OpenChoice(forgeNames, {
  description: Forge.description,
  examples: ["github"],
});

/** A hostname, with a port unless it is that of https. */
export const Host = Type.String({
  pattern: "^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?(:[1-9][0-9]{0,4})?$",
  description: "Host of the forge.",
  examples: ["github.com"],
});

/** Where a repository is: its name alone can exist on several forges. */
export const RepositoryPlace = Type.Object({ forge: Forge, host: Host, repo: Repo });
export type RepositoryPlace = Static<typeof RepositoryPlace>;

/** `acme/atlas` on github.com, `gitlab.example.com/group/atlas` elsewhere. */
export const placeName = ({ host, repo }: Pick<RepositoryPlace, "host" | "repo">): string =>
  host === forges.github.host ? repo : `${host}/${repo}`;

/** A repository as a webhook names it. */
export interface SourceRepository extends Pick<RepositoryPlace, "forge" | "host"> {
  /** The forge's id of the repository, which survives a rename; null if the sender tells none. */
  id: number | null;
  full_name: string;
}
