/** Up to where each person has read what happened. */
import { eq, sql } from "drizzle-orm";
import type { TodayReads, TodayWrites } from "../../../src/overview/port.ts";
import type { Session } from "../../engine/session.ts";

export const readMarkerReads = ({ db, t: { read_markers } }: Session): Pick<TodayReads, "readMarker"> => ({
  async readMarker(reader) {
    const [row] = await db
      .select({ ts: read_markers.ts })
      .from(read_markers)
      .where(eq(read_markers.reader, reader));
    return row?.ts ?? null;
  },
});

export const readMarkerWrites = ({ db, t }: Session): TodayWrites => ({
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
});
