/** Up to where each person has read what happened. */

import { eq, sql } from "drizzle-orm";
import type { OverviewReads, OverviewWrites } from "../../../src/overview/port.ts";
import type { Session } from "../../engine/session.ts";

export const readMarkerReads = ({ db, t: { read_markers } }: Session) =>
  ({
    async readMarker(reader) {
      const [row] = await db
        .select({ ts: read_markers.ts })
        .from(read_markers)
        .where(eq(read_markers.reader, reader));
      return row?.ts ?? null;
    },
  }) satisfies Partial<OverviewReads>;

export const readMarkerWrites = ({ db, t }: Session) =>
  ({
    async moveReadMarker(reader, ts) {
      const { read_markers } = t;
      await db
        .insert(read_markers)
        .values({ reader, ts })
        // Another tab may have marked more as read.
        .onConflictDoUpdate({
          target: read_markers.reader,
          set: { ts },
          setWhere: sql`${read_markers.ts} < ${ts}`,
        });
    },
  }) satisfies Partial<OverviewWrites>;
