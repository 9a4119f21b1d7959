/** Browser sessions, by the hash of their id. */

import { and, desc, eq, inArray, isNull, lte, or, sql } from "drizzle-orm";
import type { CoreReads, CoreWrites } from "../../../src/core/port.ts";
import type { Session } from "../../engine/session.ts";
import { preparedStatement } from "../../query/statements.ts";
import { ownedTokenColumns } from "../people.ts";

/** Joined with its token, so that a request needs one read instead of two in sequence. */
const byHash = preparedStatement(({ db, t }) => {
  const { people, sessions, tokens } = t;
  return db
    .select({ session: sessions, token: ownedTokenColumns({ t }) })
    .from(sessions)
    .leftJoin(tokens, or(eq(tokens.hash, sessions.token), eq(tokens.previous_hash, sessions.token)))
    .leftJoin(people, eq(people.id, tokens.owner))
    .where(eq(sessions.hash, sql.placeholder("hash")))
    .prepare();
});

export const sessionReads = (session: Session) =>
  ({
    async session(hash) {
      const [row] = await byHash(session).execute({ hash });
      return row ? { ...row.session, tokenRow: row.token } : null;
    },
    async sessionsOf(actor) {
      const { db, t } = session;
      const { people, sessions, tokens } = t;
      const rows = await db
        .select({ session: sessions, token: ownedTokenColumns({ t }) })
        .from(sessions)
        .leftJoin(tokens, or(eq(tokens.hash, sessions.token), eq(tokens.previous_hash, sessions.token)))
        .leftJoin(people, eq(people.id, tokens.owner))
        .where(eq(sessions.actor, actor))
        .orderBy(desc(sessions.opened_at), sessions.hash);
      return rows.map((row) => ({ ...row.session, tokenRow: row.token }));
    },
  }) satisfies Partial<CoreReads>;

export const sessionWrites = ({ db, t: { sessions } }: Session) =>
  ({
    async addSession(row) {
      await db.insert(sessions).values(row);
    },
    async removeSession(hash) {
      await db.delete(sessions).where(eq(sessions.hash, hash));
    },
    async extendSession(hash, until) {
      await db.update(sessions).set({ expires_at: until }).where(eq(sessions.hash, hash));
    },
    async touchSessions(hashes, at) {
      await db.update(sessions).set({ used_at: at }).where(inArray(sessions.hash, hashes));
    },
    async claimCheck(hash, before, at) {
      const isUnclaimed = before === null ? isNull(sessions.checked_at) : eq(sessions.checked_at, before);
      const claimed = await db
        .update(sessions)
        .set({ checked_at: at })
        .where(and(eq(sessions.hash, hash), isUnclaimed))
        .returning({ hash: sessions.hash });
      return claimed.length > 0;
    },
    async setIdentity(hash, identity) {
      await db.update(sessions).set({ identity }).where(eq(sessions.hash, hash));
    },
    async removeExpiredSessions(now, rememberedMicros, limit) {
      const expired = db
        .select({ hash: sessions.hash })
        .from(sessions)
        .where(
          and(
            lte(sessions.expires_at, now),
            or(
              eq(sessions.from_link, false),
              isNull(sessions.token),
              lte(sessions.expires_at, now - rememberedMicros),
            ),
          ),
        )
        .limit(limit);
      const removed = await db
        .delete(sessions)
        .where(inArray(sessions.hash, expired))
        .returning({ hash: sessions.hash });
      return removed.length;
    },
  }) satisfies Partial<CoreWrites>;
