/** The outbox of GitHub comments. */

import { and, asc, count, eq, gt, lte, min } from "drizzle-orm";
import type { LibraryReads, LibraryWrites } from "../../src/library/port.ts";
import type { Session } from "../engine/session.ts";

export const outboxReads = ({ db, t: { outbox, uploads } }: Session) =>
  ({
    async backlog(now) {
      const [queued] = await db.select({ rows: count(), oldest: min(outbox.created_at) }).from(outbox);
      const [reserved] = await db.select({ rows: count() }).from(uploads).where(gt(uploads.expires_at, now));
      return { outbox: queued?.rows ?? 0, oldest: queued?.oldest ?? null, uploads: reserved?.rows ?? 0 };
    },
    dueOutbox: (now, limit) =>
      db
        .select()
        .from(outbox)
        .where(lte(outbox.due_at, now))
        .orderBy(asc(outbox.due_at), asc(outbox.id))
        .limit(limit),
  }) satisfies Partial<LibraryReads>;

export const outboxWrites = ({ db, t: { outbox } }: Session) =>
  ({
    async addOutbox(row) {
      await db.insert(outbox).values(row);
    },
    async claimOutbox({ id, due_at, attempts }, until) {
      const claimed = await db
        .update(outbox)
        .set({ due_at: until, attempts: attempts + 1 })
        .where(and(eq(outbox.id, id), eq(outbox.due_at, due_at)))
        .returning({ id: outbox.id });
      return claimed.length > 0;
    },
    async delayOutbox(id, due_at) {
      await db.update(outbox).set({ due_at }).where(eq(outbox.id, id));
    },
    async removeOutbox(id) {
      await db.delete(outbox).where(eq(outbox.id, id));
    },
  }) satisfies Partial<LibraryWrites>;
