/** What runs were told and searched for: briefs and recalls. */

import { and, asc, getTableColumns, inArray, isNotNull, lt } from "drizzle-orm";
import type { OverviewWrites } from "../../../src/overview/port.ts";
import type { Session } from "../../engine/session.ts";
import { placeholders, preparedStatement } from "../../query/statements.ts";

/** Rows deleted per transaction: other writers wait for it. */
const trimMax = 2_000;

const insertBrief = preparedStatement(({ db, t: { briefs } }) => {
  const { id, ...columns } = getTableColumns(briefs);
  return db
    .insert(briefs)
    .values(placeholders(Object.keys(columns)) as unknown as typeof briefs.$inferInsert)
    .onConflictDoNothing({ target: [briefs.run_id, briefs.project, briefs.hash] })
    .returning({ id })
    .prepare();
});

export function runMemoryWrites(session: Session) {
  const { db, t } = session;
  const { briefs, brief_decisions, recalls } = t;
  return {
    async addBrief({ decisions, ...brief }) {
      const [row] = await insertBrief(session).execute(brief);
      const carried = [...new Set(decisions)];
      if (row && carried.length > 0)
        await db.insert(brief_decisions).values(carried.map((decision) => ({ decision, brief: row.id })));
    },
    async addRecall(recall) {
      await db.insert(recalls).values(recall);
    },
    async trimRunMemory(before) {
      const old = db
        .select({ id: briefs.id })
        .from(briefs)
        .where(and(lt(briefs.at, before), isNotNull(briefs.text)))
        .orderBy(asc(briefs.at))
        .limit(trimMax);
      const emptied = await db
        .update(briefs)
        .set({ text: null })
        .where(inArray(briefs.id, old))
        .returning({ id: briefs.id });
      const oldRecalls = db
        .select({ id: recalls.id })
        .from(recalls)
        .where(lt(recalls.at, before))
        .orderBy(asc(recalls.at))
        .limit(trimMax);
      const removed = await db
        .delete(recalls)
        .where(inArray(recalls.id, oldRecalls))
        .returning({ id: recalls.id });
      return emptied.length + removed.length;
    },
  } satisfies Partial<OverviewWrites>;
}
