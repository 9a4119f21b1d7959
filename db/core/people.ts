/** People, and the email addresses and logins that are theirs. */
import { and, asc, desc, eq, getTableColumns, inArray, isNull, like, ne, sql } from "drizzle-orm";
import type { CoreReads, CoreWrites } from "../../src/core/port.ts";
import type { PersonRow } from "../../src/core/rows.ts";
import type { Session } from "../engine/session.ts";
import { preparedStatement } from "../query/statements.ts";

/**
 * The columns of a token, with whom its events are of: its owner, unless that person was removed, and its own
 * team or that of its owner. For a statement that joins `people` by the owner.
 */
export const ownedTokenColumns = ({ t: { people, tokens } }: Pick<Session, "t">) => ({
  ...getTableColumns(tokens),
  owner: sql<string | null>`case when ${people.removed_at} is null then ${tokens.owner} end`,
  team: sql<string | null>`coalesce(${tokens.team}, ${people.team})`,
});

/** Pages and reports name them. */
const allPeople = preparedStatement(({ db, t: { people } }) =>
  db.select().from(people).orderBy(asc(people.id)).prepare(),
);

export function personReads(session: Session) {
  const { db, t } = session;
  const { people, person_identities: identities, unmapped_identities: unmapped } = t;
  const { facets, identities: signedIn } = t;
  const read = async (id?: string): Promise<PersonRow[]> => {
    const rows =
      id === undefined
        ? await allPeople(session).execute()
        : await db.select().from(people).where(eq(people.id, id));
    if (rows.length === 0) return [];
    const known = await db
      .select()
      .from(identities)
      .where(rows.length === 1 ? eq(identities.person, rows[0]?.id as string) : undefined)
      .orderBy(asc(identities.identity));
    const own = Map.groupBy(known, ({ person }) => person);
    return rows.map((row) => ({
      ...row,
      identities: (own.get(row.id) ?? []).map(({ identity }) => identity),
    }));
  };
  return {
    people: () => read(),
    unmappedIdentities: () =>
      db
        .select()
        .from(unmapped)
        .orderBy(desc(unmapped.events), asc(unmapped.project), asc(unmapped.identity)),
    person: async (id) => (await read(id))[0] ?? null,
    async humanActors() {
      const isHuman = like(facets.actor, "human:%");
      const [acted, known] = await Promise.all([
        db.selectDistinct({ actor: facets.actor }).from(facets).where(isHuman),
        db.select({ actor: signedIn.actor }).from(signedIn),
      ]);
      return [...new Set([...acted, ...known].map(({ actor }) => actor))];
    },
    async personsOf(list) {
      if (list.length === 0) return new Map();
      const rows = await db
        .select({ identity: identities.identity, person: people.id, team: people.team })
        .from(identities)
        .innerJoin(people, eq(people.id, identities.person))
        .where(and(inArray(identities.identity, [...list]), isNull(people.removed_at)));
      return new Map(rows.map(({ identity, ...owner }) => [identity, owner]));
    },
  } satisfies Partial<CoreReads>;
}

export function personWrites({ db, t }: Session) {
  const { people, person_identities: identities, unmapped_identities: unmapped } = t;
  return {
    async savePerson({ id, ...row }) {
      await db
        .insert(people)
        .values({ id, ...row })
        .onConflictDoUpdate({ target: people.id, set: row });
    },
    async linkIdentities(person, list) {
      if (list.length === 0) return;
      await db
        .insert(identities)
        .values(list.map((identity) => ({ identity, person })))
        .onConflictDoNothing({ target: identities.identity });
    },
    async unlinkIdentities(person, list) {
      if (list.length > 0)
        await db
          .delete(identities)
          .where(and(eq(identities.person, person), inArray(identities.identity, [...list])));
    },
    async countUnmapped(rows) {
      for (const row of rows)
        await db
          .insert(unmapped)
          .values(row)
          .onConflictDoUpdate({
            target: [unmapped.project, unmapped.identity],
            set: { events: sql`${unmapped.events} + ${row.events}`, last_at: row.last_at },
          });
    },
    async forgetUnmapped(of) {
      const isOne =
        "project" in of
          ? and(eq(unmapped.project, of.project), ne(unmapped.identity, ""))
          : inArray(unmapped.identity, [...of.identities]);
      await db.delete(unmapped).where(isOne);
    },
  } satisfies Partial<CoreWrites>;
}
