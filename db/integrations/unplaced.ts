/** Counts of telemetry that fits no project. */

import { desc, sql } from "drizzle-orm";
import type { IntegrationsReads, IntegrationsWrites } from "../../src/integrations/port.ts";
import type { Session } from "../engine/session.ts";

export const unplacedReads = ({ db, t: { unplaced } }: Session) =>
  ({
    unplaced: () =>
      db.select().from(unplaced).orderBy(desc(unplaced.last_at), unplaced.source, unplaced.reason),
  }) satisfies Partial<IntegrationsReads>;

export const unplacedWrites = ({ db, t: { unplaced } }: Session) =>
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
