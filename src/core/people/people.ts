/** People: an admin keeps the table that says whose work is whose. */
import type { CoreContext } from "../context.ts";
import { fromMicros } from "../lib/time.ts";
import type { CoreReads } from "../port.ts";
import { badRequest, conflict, notFound } from "../problem.ts";
import type { PersonRow } from "../rows.ts";
import {
  normalizeIdentity,
  type People,
  type Person,
  type PersonInput,
  type PersonPath,
  type UnmappedPolicy,
} from "./schema.ts";
import { keepSetting, writeUnmapped } from "./unmapped.ts";

type Needs = Pick<CoreContext, "data" | "now">;

export async function listPeople(ctx: Pick<CoreContext, "audit" | "data" | "now">): Promise<People> {
  const { data } = ctx;
  await writeUnmapped(ctx);
  const [people, unmapped] = await Promise.all([data.people(), data.unmappedIdentities()]);
  return {
    people: people.map(toPerson),
    unmapped: unmapped.map(({ project, identity, events, last_at }) => ({
      project: project || null,
      identity: identity || null,
      events,
      last_at: fromMicros(last_at),
    })),
  };
}

/** Sets whether a project keeps unmapped identities. What it kept is forgotten when it stops. */
export async function setUnmappedPolicy(
  { data }: Needs,
  { project, keep }: UnmappedPolicy,
): Promise<UnmappedPolicy> {
  await data.atomically(async (writes) => {
    await writes.setSetting(keepSetting(project), keep ? "1" : "");
    if (!keep) await writes.forgetUnmapped({ project });
    return { project };
  });
  return { project, keep };
}

/**
 * Adds a person, or changes one: only the fields that are given. A removed person is active again.
 * @throws 409 for an identity of someone else
 */
export async function setPerson(
  { data, now }: Needs,
  { id, name, team, link = [], unlink = [] }: PersonInput,
): Promise<Person> {
  const { saved } = await data.atomically(async (writes) => {
    const known = await writes.person(id);
    const linked = [...new Set(link.map(normalizeIdentity))];
    for (const [identity, owner] of await writes.personsOf(linked))
      if (owner.person !== id)
        throw conflict(
          `${identity} belongs to ${owner.person}. First unlink it: svc person unlink ${owner.person}.`,
        );
    await writes.savePerson({
      id,
      name: name === undefined ? (known?.name ?? null) : name,
      team: team === undefined ? (known?.team ?? null) : team,
      created_at: known?.created_at ?? now(),
      removed_at: null,
    });
    await writes.unlinkIdentities(id, unlink.map(normalizeIdentity));
    await writes.linkIdentities(id, linked);
    await writes.forgetUnmapped({ identities: linked });
    return { person: id, saved: toPerson((await writes.person(id)) as PersonRow) };
  });
  return saved;
}

/**
 * Removes a person: nothing new is theirs, whether by a token or an identity. What is in the feed stays.
 * @throws 404 if there is none
 */
export async function removePerson({ data, now }: Needs, { id }: PersonPath): Promise<Person> {
  const { saved } = await data.atomically(async (writes) => {
    const known = await writes.person(id);
    if (known?.removed_at !== null) throw notFound(`No person "${id}".`);
    const { identities, ...row } = known;
    await writes.unlinkIdentities(id, identities);
    await writes.savePerson({ ...row, removed_at: now() });
    return { person: id, saved: toPerson({ ...row, identities: [], removed_at: now() }) };
  });
  return saved;
}

/** @throws 400 unless there is such a person, who was not removed */
export async function requirePerson(data: Pick<CoreReads, "person">, id: string): Promise<void> {
  if ((await data.person(id))?.removed_at !== null)
    throw badRequest(`No person "${id}". Add them first: svc person add ${id}`);
}

const toPerson = ({ removed_at, created_at, ...row }: PersonRow): Person => ({
  ...row,
  active: removed_at === null,
  created_at: fromMicros(created_at),
});
