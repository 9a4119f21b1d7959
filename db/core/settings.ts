/** Internal settings of the service: names and values. */

import { eq, sql } from "drizzle-orm";
import type { Micros } from "../../src/core/lib/time.ts";
import type { CoreReads, CoreWrites } from "../../src/core/port.ts";
import type { Session } from "../engine/session.ts";

export const settingReads = ({ db, t: { settings } }: Session) =>
  ({
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
  }) satisfies Partial<CoreReads>;

export const settingWrites = ({ db, t: { settings } }: Session) =>
  ({
    async setSetting(name, value) {
      await db
        .insert(settings)
        .values({ name, value })
        .onConflictDoUpdate({ target: settings.name, set: { value } });
    },
  }) satisfies Partial<CoreWrites>;
