/** The names of a person: the ID, the full name, email addresses, logins, and what an admin adds. */
import type { LibraryReads } from "../port.ts";
import { nameInActor } from "../shares/guest.ts";
import type { NameToErase } from "./erased-names.ts";

const numberOf = (label: string): number => Number(label.split("-")[1]);

/** The label of the next person that is erased: `erased-3`. */
export async function nextLabel(reads: LibraryReads): Promise<string> {
  const known = await reads.listedRemovals(null, { kind: "person", limit: labelsMax });
  return `erased-${1 + Math.max(0, ...known.map(({ subject }) => numberOf(subject)))}`;
}
const labelsMax = 100_000;

/** What people read for a label. */
export const personTitle = (label: string): string => `Erased person ${numberOf(label)}`;

/** The names, each once, with what replaces it. Two names never get the same label. */
export async function namesOf(
  reads: LibraryReads,
  { subject, also = "" }: { subject: string; also?: string | undefined },
  label: string,
): Promise<NameToErase[]> {
  const person = await reads.person(subject);
  const identities = (person?.identities ?? []).map((identity) => identity.slice(identity.indexOf(":") + 1));
  const more = also.split(",").map((name) => name.trim());
  const given = [subject, ...(person?.name ? [person.name] : []), ...identities, ...more].filter(hasWord);
  const all = [...given, ...given.filter((name) => /\s/.test(name)).map(nameInActor)];
  const names = new Map(all.map((name) => [name.toLowerCase(), name]));
  let handles = 0;
  return [...names.values()].map((name) => {
    if (/\s/.test(name)) return { name, label: personTitle(label) };
    handles++;
    return { name, label: handles === 1 ? label : `${label}-${handles}` };
  });
}

const hasWord = (name: string): boolean => /[\p{L}\p{N}]/u.test(name);
