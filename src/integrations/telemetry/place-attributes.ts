/** Reads which project and task a record is about, from its resource or from the record itself. */
import { perObject } from "../../core/lib/cache.ts";
import type { Attributes, LogRecord, SpanRecord } from "./records.ts";
import type { Placement } from "./sources/source.ts";
import { readCount, readName } from "./sources/values.ts";

const ofResource = perObject(readPlace);

/** What the record says itself comes first. */
export const placeOfRecord = ({ resource, attributes }: LogRecord | SpanRecord): Placement => ({
  ...ofResource(resource),
  ...readPlace(attributes),
});

/** The largest number of an issue or a pull request. */
const taskMax = 2_147_483_647;

function readPlace(attributes: Attributes): Placement {
  const project = readName(attributes, "svc.project");
  const repository = repositoryOf(attributes);
  const branch = readName(attributes, "vcs.ref.head.name", "vcs.repository.ref.name");
  const issue = taskOf(attributes, "svc.issue");
  const pr = taskOf(attributes, "svc.pr");
  return {
    ...(project !== undefined && { project }),
    ...repository,
    ...(branch !== undefined && { branch }),
    ...(issue !== undefined && { issue }),
    ...(pr !== undefined && { pr }),
  };
}

function taskOf(attributes: Attributes, key: string): number | undefined {
  const number = readCount(attributes, key);
  return number !== undefined && number >= 1 && number <= taskMax ? number : undefined;
}

/** Scheme, host, port and path of a URL, or host and path of `user@host:path`. */
const repositoryUrl = /^(?:([a-z+]+):\/\/(?:[^/@]*@)?([^/:]+)(:\d+)?\/|[\w.-]+@([^/:]+):)(.+?)(?:\.git)?\/?$/;

/** `owner/name` of a URL, with its host, or of a name and its owner; a name alone stays as it is. */
function repositoryOf(attributes: Attributes): Pick<Placement, "host" | "repo"> {
  const url = repositoryUrl.exec(readName(attributes, "vcs.repository.url.full") ?? "");
  if (url) {
    const [, scheme = "ssh", host, port = "", sshHost = "", repo = ""] = url;
    // The port of SSH says nothing about that of the forge.
    return { host: `${host ?? sshHost}${scheme.startsWith("http") ? port : ""}`.toLowerCase(), repo };
  }
  const name = readName(attributes, "vcs.repository.name");
  const owner = readName(attributes, "vcs.owner.name");
  if (name === undefined) return {};
  return { repo: owner && !name.includes("/") ? `${owner}/${name}` : name };
}
