/** Share links, the log of what people did with them, and the passphrases they tried. */

import { and, asc, desc, eq, gt, inArray, isNull, lt, ne, type SQL, sql } from "drizzle-orm";
import type { LibraryReads, LibraryWrites } from "../../../src/library/port.ts";
import type { Session } from "../../engine/session.ts";
import { tuple } from "../../query/statements.ts";

export function shareReads({ db, t }: Session) {
  const { shares, share_views: views, share_attempts: attempts } = t;
  const one = async (condition: SQL) => {
    const [row] = await db.select().from(shares).where(condition);
    return row ?? null;
  };
  return {
    share: (id) => one(eq(shares.id, id)),
    shareWithHash: (hash) => one(eq(shares.hash, hash)),
    shares: (projects, { project, of, limit, after }) =>
      db
        .select()
        .from(shares)
        .where(
          and(
            projects === null ? undefined : inArray(shares.project, [...projects]),
            project === undefined ? undefined : eq(shares.project, project),
            of === undefined ? undefined : eq(shares.root_id, of),
            after && sql`${tuple([shares.created_at, shares.id])} < ${tuple([after.created_at, after.id])}`,
          ),
        )
        .orderBy(desc(shares.created_at), desc(shares.id))
        .limit(limit),
    shareViews: (share, { limit, after }) =>
      db
        .select()
        .from(views)
        .where(
          and(
            eq(views.share, share),
            after && sql`${tuple([views.at, views.slot])} < ${tuple([after.at, after.slot])}`,
          ),
        )
        .orderBy(desc(views.at), desc(views.slot))
        .limit(limit),
    shareAttempts: (share, since, limit) =>
      db
        .select()
        .from(attempts)
        .where(and(eq(attempts.share, share), gt(attempts.at, since)))
        .orderBy(asc(attempts.at))
        .limit(limit),
  } satisfies Partial<LibraryReads>;
}

export function shareWrites({ db, t }: Session) {
  const { shares, share_views: views, share_attempts: attempts } = t;
  return {
    async addShare(share) {
      await db.insert(shares).values(share);
    },
    async countNamedShares(created_by, since) {
      const isNamed = and(eq(shares.created_by, created_by), ne(shares.name_source, "typed"));
      return db.$count(shares, and(isNamed, gt(shares.created_at, since)));
    },
    async changeShare(id, change) {
      await db.update(shares).set(change).where(eq(shares.id, id));
    },
    async revokeShare(id, at, by) {
      const revoked = await db
        .update(shares)
        .set({ revoked_at: at, revoked_by: by })
        .where(and(eq(shares.id, id), isNull(shares.revoked_at)))
        .returning({ id: shares.id });
      return revoked.length > 0;
    },
    async addShareView(view) {
      await db
        .insert(views)
        .values(view)
        .onConflictDoUpdate({
          target: [views.share, views.slot],
          set: { at: view.at, count: sql`${views.count} + 1` },
        });
      if (view.action === "opened")
        await db
          .update(shares)
          .set({ views: sql`${shares.views} + 1` })
          .where(eq(shares.id, view.share));
    },
    async removeShareViews(before, limit) {
      const old = await db
        .select({ share: views.share, slot: views.slot })
        .from(views)
        .where(lt(views.at, before))
        .orderBy(asc(views.at))
        .limit(limit);
      for (const { share, slot } of old)
        await db.delete(views).where(and(eq(views.share, share), eq(views.slot, slot)));
      return old.length;
    },
    async addShareAttempt(attempt, since) {
      await db.delete(attempts).where(and(eq(attempts.share, attempt.share), lt(attempts.at, since)));
      await db.insert(attempts).values(attempt);
    },
    async removeShareAttempt(id) {
      await db.delete(attempts).where(eq(attempts.id, id));
    },
  } satisfies Partial<LibraryWrites>;
}
