/** One-time sign-in links, by the hash of their secret. */

import { and, count, eq, gt, lte, sql } from "drizzle-orm";
import type { CoreReads, CoreWrites } from "../../../src/core/port.ts";
import type { Session } from "../../engine/session.ts";

export const signInLinkReads = ({ db, t: { sign_in_links } }: Session) =>
  ({
    async signInLink(hash) {
      const [row] = await db.select().from(sign_in_links).where(eq(sign_in_links.hash, hash));
      return row ?? null;
    },
  }) satisfies Partial<CoreReads>;

export const signInLinkWrites = ({ db, t: { sign_in_links, sessions } }: Session) =>
  ({
    async addSignInLink(link, now) {
      await db.delete(sign_in_links).where(lte(sign_in_links.expires_at, now));
      await db.insert(sign_in_links).values(link);
    },
    async countSignInLinks(email, now) {
      const isSame = eq(sql`lower(${sign_in_links.email})`, email.toLowerCase());
      const [row] = await db
        .select({ links: count() })
        .from(sign_in_links)
        .where(and(isSame, gt(sign_in_links.expires_at, now)));
      return Number(row?.links);
    },
    async takeSignInLink(hash, now) {
      const [row] = await db
        .delete(sign_in_links)
        .where(and(eq(sign_in_links.hash, hash), gt(sign_in_links.expires_at, now)))
        .returning();
      return row ?? null;
    },
    async removeLinkSessions() {
      await db.delete(sign_in_links);
      const removed = await db
        .delete(sessions)
        .where(eq(sessions.from_link, true))
        .returning({ hash: sessions.hash });
      return removed.length;
    },
  }) satisfies Partial<CoreWrites>;
