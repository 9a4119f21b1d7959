/** Email digests: who gets them, and when. */

import { and, asc, desc, eq, gt, inArray, isNull, lt, lte, ne, type SQL, sql } from "drizzle-orm";
import type { IntegrationsReads, IntegrationsWrites } from "../../../src/integrations/port.ts";
import type { DigestRow } from "../../../src/integrations/rows.ts";
import type { Session } from "../../engine/session.ts";

export const digestReads = ({ db, t: { email_digests } }: Session) =>
  ({
    async emailDigests(of) {
      const { owner } = email_digests;
      const own = of && (of.owner === null ? isNull(owner) : eq(owner, of.owner));
      const isThere = ne(email_digests.status, "removed");
      const rows = await db
        .select()
        .from(email_digests)
        .where(and(isThere, own))
        .orderBy(desc(email_digests.id));
      return rows as DigestRow[];
    },
    async emailDigest(id) {
      const isThere = and(eq(email_digests.id, id), ne(email_digests.status, "removed"));
      const [row] = await db.select().from(email_digests).where(isThere);
      return (row as DigestRow | undefined) ?? null;
    },
    async dueDigests(now, limit) {
      const rows = await db
        .select()
        .from(email_digests)
        // A literal: the index is partial.
        .where(and(sql`status = 'active'`, lte(email_digests.next_at, now)))
        .orderBy(asc(email_digests.next_at))
        .limit(limit);
      return rows as DigestRow[];
    },
  }) satisfies Partial<IntegrationsReads>;

export const digestWrites = ({ db, t: { email_digests } }: Session) =>
  ({
    digestOwnersOf: (address, since) =>
      db
        .select({ owner: email_digests.owner })
        .from(email_digests)
        .where(
          and(
            eq(sql`lower(${email_digests.address})`, address.toLowerCase()),
            gt(email_digests.created_at, since),
          ),
        ),
    async addDigest(row) {
      await db.insert(email_digests).values(row);
    },
    async changeDigest(id, change) {
      await db.update(email_digests).set(change).where(eq(email_digests.id, id));
    },
    async removeDigest(id) {
      const is = (status: SQL | undefined) => and(eq(email_digests.id, id), status);
      const hidden = await db
        .update(email_digests)
        .set({ status: "removed" })
        .where(is(eq(email_digests.status, "pending")))
        .returning({ id: email_digests.id });
      if (hidden.length > 0) return true;
      const removed = await db
        .delete(email_digests)
        .where(is(ne(email_digests.status, "removed")))
        .returning({ id: email_digests.id });
      return removed.length > 0;
    },
    async deleteDigest(id) {
      await db.delete(email_digests).where(eq(email_digests.id, id));
    },
    async claimDigest({ id, next_at, attempts }, until) {
      const claimed = await db
        .update(email_digests)
        .set({ next_at: until, attempts: attempts + 1 })
        .where(
          and(
            eq(email_digests.id, id),
            eq(email_digests.next_at, next_at),
            eq(email_digests.status, "active"),
          ),
        )
        .returning({ id: email_digests.id });
      return claimed.length > 0;
    },
    async removeUnconfirmedDigests(before) {
      const removed = await db
        .delete(email_digests)
        .where(
          and(inArray(email_digests.status, ["pending", "removed"]), lt(email_digests.created_at, before)),
        )
        .returning({ id: email_digests.id });
      return removed.length;
    },
  }) satisfies Partial<IntegrationsWrites>;
