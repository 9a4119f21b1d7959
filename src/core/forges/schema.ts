/**
 * The senders of webhooks: the forges that a project's repository can be on, and services that host previews.
 * A forge says how it names repositories and tasks in URLs, and its environment variables. The types ask for
 * the rest of a new row: its folder, line, and page.
 */
import { type Static, Type } from "@sinclair/typebox";
import { secret, secrets, text, url, type Variable } from "../config-parsers.ts";
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
  /** `SVC_<NAME>_TOKEN`, of its API. */
  token: Variable<string>;
  /** `SVC_<NAME>_API_URL` */
  api: Variable<string>;
  /** `SVC_<NAME>_WEBHOOK_SECRET` */
  secrets: Variable<string[]>;
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
    token: text("", "GitHub token, used to comment on issues and reopen them."),
    api: url("https://api.github.com", "Base URL of the GitHub API."),
    secrets: secret("Secret of the GitHub webhook"),
  },
  gitlab: {
    label: "GitLab",
    host: "gitlab.com",
    issues: "-/issues",
    pulls: "-/merge_requests",
    // GitLab allows 20 levels of subgroups.
    repo: /^[\w.-]{1,255}(\/[\w.-]{1,255}){1,21}$/,
    repoShape: "group/project or group/subgroup/project",
    token: text("", "GitLab token with the scope `api`, used to comment on issues and reopen them."),
    api: url("https://gitlab.com/api/v4", "Base URL of the GitLab API."),
    secrets: secrets("Secret tokens or signing tokens (`whsec_…`) of GitLab webhooks"),
  },
  gitea: {
    ...ownerAndName,
    label: "Gitea",
    host: "gitea.com",
    issues: "issues",
    pulls: "pulls",
    token: text("", "Gitea or Forgejo token, used to comment on issues and reopen them."),
    api: url("https://gitea.com/api/v1", "Base URL of the Gitea or Forgejo API."),
    secrets: secrets("Secrets of Gitea and Forgejo webhooks"),
  },
  bitbucket: {
    ...ownerAndName,
    label: "Bitbucket",
    host: "bitbucket.org",
    issues: "issues",
    pulls: "pull-requests",
    token: text("", "Bitbucket access token, used to comment on issues and reopen them."),
    api: url("https://api.bitbucket.org/2.0", "Base URL of the Bitbucket API."),
    secrets: secrets("Secrets of Bitbucket webhooks"),
  },
} as const satisfies Record<string, ForgeRow>;

export type ForgeName = keyof typeof forges;
export const forgeNames = Object.keys(forges) as ForgeName[];

const upper = <N extends string>(name: N) => name.toUpperCase() as Uppercase<N>;

/** The environment variable with the token of a forge's API. */
export const tokenVariable = (name: ForgeName) => `SVC_${upper(name)}_TOKEN` as const;
/** The environment variable with the URL of a forge's API. */
export const apiVariable = (name: ForgeName) => `SVC_${upper(name)}_API_URL` as const;
/** The environment variable with the secrets of a sender of webhooks. */
export const secretVariable = <N extends string>(name: N) => `SVC_${upper(name)}_WEBHOOK_SECRET` as const;

type ForgeVariables = Record<ReturnType<typeof tokenVariable | typeof apiVariable>, Variable<string>> &
  Record<ReturnType<typeof secretVariable<ForgeName>>, Variable<string[]>>;

export const forgeVariables = Object.fromEntries(
  forgeNames.flatMap((name): [string, Variable<unknown>][] => [
    [tokenVariable(name), forges[name].token],
    [apiVariable(name), forges[name].api],
    [secretVariable(name), forges[name].secrets],
  ]),
) as ForgeVariables;

const Forge = Choice(forgeNames, {
  description: "Forge of the repository; `gitea` is also Forgejo.",
  examples: ["github"],
});

/** As responses name it: a list that can grow. */
export const ForgeOfProject = OpenChoice(forgeNames, {
  description: Forge.description,
  examples: ["github"],
});

/** A hostname, with a port unless it is that of https. */
const Host = Type.String({
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

/** The services that host previews, and the variable of each that has its secrets. */
const previewServices = {
  vercel: secrets("Secrets of Vercel webhooks"),
  netlify: secrets("JWS secrets of Netlify notifications"),
  cloudflare: secrets("Secrets of Cloudflare notification webhooks"),
};

type PreviewService = keyof typeof previewServices;

export const previewVariables = Object.fromEntries(
  Object.entries(previewServices).map(([name, variable]) => [secretVariable(name), variable]),
) as Record<ReturnType<typeof secretVariable<PreviewService>>, Variable<string[]>>;

/** Every service whose webhooks svc receives, at `/api/hooks/<name>`. */
export const senderNames = [...forgeNames, ...(Object.keys(previewServices) as PreviewService[])];

export type SenderName = (typeof senderNames)[number];
