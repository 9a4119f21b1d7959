/** Email digests: who gets them, and when. */
import { and, asc, desc, eq, lt, lte, sql } from "drizzle-orm";
import type { DigestReads, DigestWrites } from "../../src/email/port.ts";
import type { Session } from "../engine/session.ts";

export const digestReads = ({ db, t: { email_digests } }: Session): DigestReads => ({
  emailDigests: (limit) => db.select().from(email_digests).orderBy(desc(email_digests.id)).limit(limit),
  async emailDigest(id) {
    const [row] = await db.select().from(email_digests).where(eq(email_digests.id, id));
    return row ?? null;
  },
  dueDigests: (now, limit) =>
    db
      .select()
      .from(email_digests)
      // A literal: the index is partial.
      .where(and(sql`status = 'active'`, lte(email_digests.next_at, now)))
      .orderBy(asc(email_digests.next_at))
      .limit(limit),
});

export const digestWrites = ({ db, t: { email_digests } }: Session): DigestWrites => ({
  async addDigest(row) {
    await db.insert(email_digests).values(row);
  },
  async changeDigest(id, change) {
    await db.update(email_digests).set(change).where(eq(email_digests.id, id));
  },
  async removeDigest(id) {
    const removed = await db
      .delete(email_digests)
      .where(eq(email_digests.id, id))
      .returning({ id: email_digests.id });
    return removed.length > 0;
  },
  async claimDigest({ id, next_at, attempts }, until) {
    const claimed = await db
      .update(email_digests)
      .set({ next_at: until, attempts: attempts + 1 })
      .where(
        and(eq(email_digests.id, id), eq(email_digests.next_at, next_at), eq(email_digests.status, "active")),
      )
      .returning({ id: email_digests.id });
    return claimed.length > 0;
  },
  async removeUnconfirmedDigests(before) {
    await db
      .delete(email_digests)
      .where(and(eq(email_digests.status, "pending"), lt(email_digests.created_at, before)));
  },
});
