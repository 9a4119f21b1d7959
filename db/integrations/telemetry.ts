/** Telemetry that was recorded, and counts of what fits no project. */

import { desc, inArray, sql } from "drizzle-orm";
import { readEvent } from "../../src/feed/render-event.ts";
import type { IntegrationsReads, IntegrationsWrites } from "../../src/integrations/port.ts";
import type { Session } from "../engine/session.ts";
import { storedKey } from "../feed/dedupe-keys.ts";

export const telemetryReads = ({ db, t: { events, unplaced } }: Session) =>
  ({
    async recordedEvents(keyed) {
      const keys = keyed.map(storedKey);
      const rows = await db
        .select({ ts: events.ts, wire: events.wire, key: events.dedupe_key })
        .from(events)
        .where(
          inArray(
            events.dedupe_key,
            keys.filter((key) => key !== null),
          ),
        );
      const found = new Map(rows.map(({ key, ...row }) => [key, row]));
      return keys.map((key) => {
        const row = found.get(key);
        return row ? readEvent(row) : null;
      });
    },

    unplaced: () =>
      db.select().from(unplaced).orderBy(desc(unplaced.last_at), unplaced.source, unplaced.reason),
  }) satisfies Partial<IntegrationsReads>;

export const telemetryWrites = ({ db, t: { unplaced } }: Session) =>
  ({
    async countUnplaced(rows) {
      for (const row of rows)
        await db
          .insert(unplaced)
          .values(row)
          .onConflictDoUpdate({
            target: [unplaced.source, unplaced.reason],
            set: {
              count: sql`${unplaced.count} + ${row.count}`,
              token: row.token,
              last_at: row.last_at,
            },
          });
    },
  }) satisfies Partial<IntegrationsWrites>;
