/** Internal settings of the service: names and values. */
import { eq, sql } from "drizzle-orm";
import type { Reads, Writes } from "../../src/data.ts";
import type { Micros } from "../../src/lib/time.ts";
import type { Session } from "../engine/session.ts";

export const settingReads = ({ db, t: { settings } }: Session): Pick<Reads, "setting" | "createdAt"> => ({
  async setting(name) {
    const [row] = await db.select({ value: settings.value }).from(settings).where(eq(settings.name, name));
    return row?.value ?? null;
  },
  async createdAt() {
    const [row] = await db
      .select({ at: sql<number>`min(applied_at)`.mapWith(Number) })
      .from(sql`schema_migrations`);
    return (row as { at: Micros }).at;
  },
});

export const settingWrites = (session: Session): Pick<Writes, "getOrCreateSetting" | "setSetting"> => ({
  async getOrCreateSetting(name, value) {
    const { db, t } = session;
    await db.insert(t.settings).values({ name, value }).onConflictDoNothing({ target: t.settings.name });
    return (await settingReads(session).setting(name)) as string;
  },
  async setSetting(name, value) {
    const { db, t } = session;
    await db
      .insert(t.settings)
      .values({ name, value })
      .onConflictDoUpdate({ target: t.settings.name, set: { value } });
  },
});
