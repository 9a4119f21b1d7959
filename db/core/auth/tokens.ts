/** Access tokens, stored as hashes. */

import { and, asc, eq, inArray, isNull, or, sql } from "drizzle-orm";
import type { CoreReads, CoreWrites } from "../../../src/core/port.ts";
import type { Session } from "../../engine/session.ts";
import { preparedStatement } from "../../query/statements.ts";
import { ownedTokenColumns } from "../people.ts";

const byHash = preparedStatement(({ db, t }) => {
  const { people, tokens } = t;
  return db
    .select(ownedTokenColumns({ t }))
    .from(tokens)
    .leftJoin(people, eq(people.id, tokens.owner))
    .where(or(eq(tokens.hash, sql.placeholder("hash")), eq(tokens.previous_hash, sql.placeholder("hash"))))
    .prepare();
});

/** The page of usage offers their teams. */
const allTokens = preparedStatement(({ db, t: { tokens } }) =>
  db.select().from(tokens).orderBy(asc(tokens.created_at), asc(tokens.name)).prepare(),
);

export function tokenReads(session: Session) {
  const { db, t } = session;
  return {
    async token(hash) {
      const [row] = await byHash(session).execute({ hash });
      return row ?? null;
    },
    async tokenNamed(name) {
      const [row] = await db.select().from(t.tokens).where(eq(t.tokens.name, name));
      return row ?? null;
    },
    tokens: async () => allTokens(session).execute(),
  } satisfies Partial<CoreReads>;
}

export function tokenWrites({ db, t: { tokens } }: Session) {
  const withHash = (hashes: string[]) =>
    or(inArray(tokens.hash, hashes), inArray(tokens.previous_hash, hashes));
  const unrevoked = (name: string) => and(eq(tokens.name, name), isNull(tokens.revoked_at));
  return {
    async addToken(token) {
      const added = await db
        .insert(tokens)
        .values(token)
        .onConflictDoNothing({ target: tokens.name })
        .returning({ name: tokens.name });
      return added.length > 0;
    },
    async revokeToken(name, at) {
      const revoked = await db
        .update(tokens)
        .set({ revoked_at: at })
        .where(unrevoked(name))
        .returning({ name: tokens.name });
      return revoked.length > 0;
    },
    async rotateToken(name, hash, at, previous_until) {
      const rotated = await db
        .update(tokens)
        .set({ hash, previous_hash: previous_until === null ? null : sql`${tokens.hash}`, previous_until })
        .where(and(unrevoked(name), or(isNull(tokens.expires_at), sql`${tokens.expires_at} > ${at}`)))
        .returning({ name: tokens.name });
      return rotated.length > 0;
    },
    async setReviewRole(name, review_role) {
      await db.update(tokens).set({ review_role }).where(eq(tokens.name, name));
    },
    async setTokenOwner(name, owner, team) {
      await db.update(tokens).set({ owner, team }).where(eq(tokens.name, name));
    },
    async touchTokens(hashes, at) {
      await db.update(tokens).set({ last_used_at: at }).where(withHash(hashes));
    },
    async markAgentTokens(hashes, at) {
      await db
        .update(tokens)
        .set({ agent_at: at })
        .where(and(withHash(hashes), isNull(tokens.agent_at)));
    },
  } satisfies Partial<CoreWrites>;
}
