/** Earlier reviews of a file, and which projects refuse repeats. */

import { and, desc, eq, isNotNull, sql } from "drizzle-orm";
import type { LibraryReads, LibraryWrites } from "../../../src/library/port.ts";
import type { Session } from "../../engine/session.ts";

export const repeatReads = ({ db, t: { assets, verdicts, repeat_policies } }: Session) =>
  ({
    async lastReview(project, sha256) {
      const { id, root_id, version, status, reviewed_by, review_note, reviewed_at } = assets;
      // A superseded version does not say what its review was.
      const rejection = db
        .select({ asset: verdicts.asset })
        .from(verdicts)
        .where(and(eq(verdicts.asset, id), eq(verdicts.decision, "rejected"), eq(verdicts.at, reviewed_at)));
      const [row] = await db
        .select({
          id,
          root_id,
          version,
          status,
          reviewed_by,
          review_note,
          isRejection: sql<unknown>`exists ${rejection}`,
        })
        .from(assets)
        .where(and(eq(assets.sha256, sha256), eq(assets.project, project), isNotNull(reviewed_at)))
        .orderBy(desc(reviewed_at), desc(id))
        .limit(1);
      if (!row) return null;
      const { status: current, isRejection, ...review } = row;
      return {
        ...review,
        isRejection: current === "rejected" || (current === "superseded" && Boolean(isRejection)),
      };
    },
    async repeatPolicy(project) {
      const [row] = await db.select().from(repeat_policies).where(eq(repeat_policies.project, project));
      return row ?? null;
    },
  }) satisfies Partial<LibraryReads>;

export const repeatWrites = ({ db, t: { repeat_policies } }: Session) =>
  ({
    async saveRepeatPolicy(policy) {
      await db.insert(repeat_policies).values(policy);
    },
    async removeRepeatPolicy(project) {
      await db.delete(repeat_policies).where(eq(repeat_policies.project, project));
    },
  }) satisfies Partial<LibraryWrites>;
