/** What taking something back does: the rows that it changes, and what is stored of it. */
import type { Caller } from "../../core/auth/caller.ts";
import type { Rewriting } from "../../core/maintenance.ts";
import { conflict, forbidden } from "../../core/problem.ts";
import { requireProject } from "../../feed/projects/projects.ts";
import type { LibraryReads } from "../port.ts";
import { nameInActor } from "../shares/guest.ts";
import { projectRemovalOf } from "./drop-project.ts";
import { erasureOf } from "./erase-row.ts";
import { hashNames, type NameToErase, nameEraser } from "./erased-names.ts";
import { type Finding, findText } from "./find-text.ts";
import { placeOf, redactionsOf } from "./redact-row.ts";
import type { PersonDetail, RedactionDetail, RemovalDetail, RemovalRow } from "./rows.ts";
import type { RemovalSubjectInput } from "./schema.ts";

export interface Prepared {
  /** As it is stored: not the name of a person. */
  subject: string;
  project: string | null;
  detail: RemovalDetail;
  names: string[];
  /** What the event says. */
  title: string;
  rewriting(removal: RemovalRow): Rewriting;
  /** A text that the removal stores. */
  clean(text: string): string;
}

/** @throws 404 if there is no such thing, 409 if it was taken back before */
export const prepare = (finding: Finding, input: RemovalSubjectInput, caller: Caller): Promise<Prepared> =>
  input.kind === "person"
    ? prepareErasure(finding, input, caller)
    : input.kind === "project"
      ? prepareProjectRemoval(finding, input, caller)
      : prepareRedaction(finding, { kind: input.kind, subject: input.subject }, caller);

async function prepareProjectRemoval(
  { reads }: Finding,
  { subject }: RemovalSubjectInput,
  caller: Caller,
): Promise<Prepared> {
  await requireProject(reads, subject, caller);
  return {
    subject,
    project: null,
    detail: {},
    names: [],
    title: `Removed the project ${subject}`,
    rewriting: projectRemovalOf,
    clean: (text) => text,
  };
}

async function prepareRedaction(
  finding: Finding,
  subject: Parameters<typeof findText>[1],
  caller: Caller,
): Promise<Prepared> {
  const { project, rows } = await findText(finding, subject, caller);
  const places: RedactionDetail["places"] = {};
  for (const { table, row } of rows) (places[table] ??= []).push(placeOf(table, row));
  return {
    subject: subject.subject,
    project,
    detail: { places },
    names: [],
    title: `Redacted ${subject.kind} ${subject.subject}`,
    rewriting: (removal) => redactionsOf([removal]),
    clean: (text) => text,
  };
}

async function prepareErasure(
  { reads }: Finding,
  input: RemovalSubjectInput,
  caller: Caller,
): Promise<Prepared> {
  if (caller.projects !== null) throw forbidden("Only admins of all projects erase people.");
  const label = await nextLabel(reads);
  const names = await namesOf(reads, input, label);
  const salt = crypto.randomUUID();
  const detail: PersonDetail = { salt, names: hashNames(salt, names) };
  const clean = nameEraser(salt, detail.names);
  if (caller.name !== null && clean(caller.name) !== caller.name)
    throw conflict("You cannot erase yourself. Ask another admin.");
  const given = names.map(({ name }) => name);
  const rewriting = (removal: Pick<RemovalRow, "removed_at">) => erasureOf(removal, detail, given);
  return {
    subject: label,
    project: null,
    detail,
    names: given,
    title: `Erased a person: ${personTitle(label)}`,
    rewriting,
    clean,
  };
}

const numberOf = (label: string): number => Number(label.split("-")[1]);

/** The label of the next person that is erased: `erased-3`. */
async function nextLabel(reads: LibraryReads): Promise<string> {
  const known = await reads.listedRemovals(null, { kind: "person", limit: labelsMax });
  return `erased-${1 + Math.max(0, ...known.map(({ subject }) => numberOf(subject)))}`;
}
const labelsMax = 100_000;

/** What people read for a label. */
const personTitle = (label: string): string => `Erased person ${numberOf(label)}`;

/**
 * The names of a person, each once, with what replaces it: the ID, the full name, email addresses, logins,
 * and what an admin adds. Two names never get the same label.
 */
async function namesOf(
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
