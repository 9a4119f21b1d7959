/** Reads which project and task a record is about, from its resource or from the record itself. */
import { perObject } from "../lib/cache.ts";
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
  const repo = repositoryOf(attributes);
  const branch = readName(attributes, "vcs.ref.head.name", "vcs.repository.ref.name");
  const issue = taskOf(attributes, "svc.issue");
  const pr = taskOf(attributes, "svc.pr");
  return {
    ...(project !== undefined && { project }),
    ...(repo !== undefined && { repo }),
    ...(branch !== undefined && { branch }),
    ...(issue !== undefined && { issue }),
    ...(pr !== undefined && { pr }),
  };
}

function taskOf(attributes: Attributes, key: string): number | undefined {
  const number = readCount(attributes, key);
  return number !== undefined && number >= 1 && number <= taskMax ? number : undefined;
}

/** `owner/name` of a URL or of a name and its owner; a name alone stays as it is. */
function repositoryOf(attributes: Attributes): string | undefined {
  const url = readName(attributes, "vcs.repository.url.full");
  const path = url && /^(?:[a-z+]+:\/\/[^/]+\/|[\w.-]+@[^/:]+:)(.+?)(?:\.git)?\/?$/.exec(url)?.[1];
  if (path) return path;
  const name = readName(attributes, "vcs.repository.name");
  const owner = readName(attributes, "vcs.owner.name");
  return name && owner && !name.includes("/") ? `${owner}/${name}` : name;
}
