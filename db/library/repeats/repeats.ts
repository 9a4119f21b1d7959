/** Earlier reviews of a file, and which projects refuse repeats. */

import { and, desc, eq, isNotNull, sql } from "drizzle-orm";
import type { LibraryReads, LibraryWrites } from "../../../src/library/port.ts";
import type { Session } from "../../engine/session.ts";
import { preparedStatement } from "../../query/statements.ts";

const selectLastReview = preparedStatement(({ db, t: { assets, verdicts } }) => {
  const { id, root_id, version, status, reviewed_by, review_note, reviewed_at, sha256, project } = assets;
  // A superseded version does not say what its review was.
  const rejection = db
    .select({ asset: verdicts.asset })
    .from(verdicts)
    .where(and(eq(verdicts.asset, id), eq(verdicts.decision, "rejected"), eq(verdicts.at, reviewed_at)));
  const isRejection = sql<unknown>`exists ${rejection}`;
  const [hash, slug] = [sql.placeholder("sha256"), sql.placeholder("project")];
  return db
    .select({ id, root_id, version, status, reviewed_by, review_note, isRejection })
    .from(assets)
    .where(and(eq(sha256, hash), eq(project, slug), isNotNull(reviewed_at)))
    .orderBy(desc(reviewed_at), desc(id))
    .limit(1)
    .prepare();
});

export function repeatReads(session: Session) {
  const { db, t } = session;
  const { repeat_policies } = t;
  return {
    async lastReview(project, sha256) {
      const [row] = await selectLastReview(session).execute({ project, sha256 });
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
  } satisfies Partial<LibraryReads>;
}

export const repeatWrites = ({ db, t: { repeat_policies } }: Session) =>
  ({
    async saveRepeatPolicy(policy) {
      await db.insert(repeat_policies).values(policy);
    },
    async removeRepeatPolicy(project) {
      await db.delete(repeat_policies).where(eq(repeat_policies.project, project));
    },
  }) satisfies Partial<LibraryWrites>;
