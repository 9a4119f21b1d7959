/** All sessions and sign-in links of someone: by their name, and by their tokens. */
import { and, count, eq, gt, inArray, or } from "drizzle-orm";
import type { CoreReads, CoreWrites } from "../../../src/core/port.ts";
import type { Access } from "../../../src/core/rows.ts";
import type { Session } from "../../engine/session.ts";

type Tables = Session["t"];

const sessionsOf = ({ sessions }: Tables, { actor, hashes }: Access) =>
  or(eq(sessions.actor, actor), inArray(sessions.token, [...hashes]));
const linksOf = ({ sign_in_links: links }: Tables, { actor, tokens }: Access) =>
  or(eq(links.actor, actor), inArray(links.token, [...tokens]));

export const accessReads = ({ db, t }: Session) =>
  ({
    async countSessions(of, now) {
      const { sessions, sign_in_links: links } = t;
      const [[opened], [unused]] = await Promise.all([
        db
          .select({ rows: count() })
          .from(sessions)
          .where(and(sessionsOf(t, of), gt(sessions.expires_at, now))),
        db
          .select({ rows: count() })
          .from(links)
          .where(and(linksOf(t, of), gt(links.expires_at, now))),
      ]);
      return { sessions: Number(opened?.rows), sign_in_links: Number(unused?.rows) };
    },
  }) satisfies Partial<CoreReads>;

export const accessWrites = ({ db, t }: Session) =>
  ({
    async endSessions(of) {
      await db.delete(t.sessions).where(sessionsOf(t, of));
      await db.delete(t.sign_in_links).where(linksOf(t, of));
    },
  }) satisfies Partial<CoreWrites>;
