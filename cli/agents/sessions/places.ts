/** To which project past sessions belong: by the repository that they worked in. */
import { type ForgeName, forgeNames, forges } from "../../../src/core/forges/schema.ts";
import type { Schemas } from "../../client/client.ts";
import { projectsLinkedTo } from "../../repository/current-project.ts";
import { type GitRemote, gitEmail, originOf } from "../../repository/git-place.ts";
import type { SessionPlace } from "./session.ts";

type Project = Schemas["Project"];

/** A repository that no project is linked to, and the project that could be. */
export interface Unlinked extends GitRemote {
  slug: string;
  /** Null for a host that is none of a public forge. */
  forge: ForgeName | null;
}

export interface Destination {
  project: string;
  email: string | null;
}

/** Folders are looked up once: thousands of sessions share a few. */
export class Places {
  readonly #remotes = new Map<string, GitRemote | null>();
  readonly #emails = new Map<string, string | null>();
  constructor(public projects: readonly Project[]) {}

  remoteOf({ folder, remote }: SessionPlace): GitRemote | null {
    if (remote) return remote;
    return folder === null ? null : lookUp(this.#remotes, folder, originOf);
  }

  /** The only project that is linked to the repository; null if none is, or several. */
  destinationOf(place: SessionPlace): Destination | null {
    const remote = this.remoteOf(place);
    const [linked, other] = remote ? projectsLinkedTo(this.projects, remote) : [];
    if (!linked || other) return null;
    return {
      project: linked.slug,
      email: place.folder === null ? null : lookUp(this.#emails, place.folder, gitEmail),
    };
  }

  /** How a project for a repository would be called: its name, or its owner's too if that is taken. */
  proposalFor(remote: GitRemote, taken: ReadonlySet<string>): Unlinked {
    const names = [remote.path.split("/").at(-1) ?? "", remote.path].map(slugOf);
    const slug = names.find((name) => !taken.has(name) && !this.projects.some((one) => one.slug === name));
    const forge = forgeNames.find(
      (name) => forges[name].host === remote.host && forges[name].repo.test(remote.path),
    );
    return { ...remote, slug: slug ?? "", forge: slug ? (forge ?? null) : null };
  }
}

const slugOf = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, 63);

function lookUp<T>(known: Map<string, T>, folder: string, find: (folder: string) => T): T {
  const found = known.get(folder);
  if (found !== undefined) return found;
  const value = find(folder);
  known.set(folder, value);
  return value;
}
