/** What is still to be done at the source host. */
import { asc, eq, lte, sql } from "drizzle-orm";
import type { Reads, Writes } from "../src/data.ts";
import type { Session } from "./session.ts";

export const outboxReads = ({ db, t: { outbox } }: Session): Pick<Reads, "dueOutbox"> => ({
  dueOutbox: (now, limit) =>
    db.select().from(outbox).where(lte(outbox.due_at, now)).orderBy(asc(outbox.due_at), asc(outbox.id)).limit(limit),
});

export const outboxWrites = ({ db, t: { outbox } }: Session): Pick<Writes, "addOutbox" | "delayOutbox" | "removeOutbox"> => ({
  async addOutbox(row) {
    await db.insert(outbox).values(row);
  },
  async delayOutbox(id, due_at) {
    await db
      .update(outbox)
      .set({ due_at, attempts: sql`${outbox.attempts} + 1` })
      .where(eq(outbox.id, id));
  },
  async removeOutbox(id) {
    await db.delete(outbox).where(eq(outbox.id, id));
  },
});
