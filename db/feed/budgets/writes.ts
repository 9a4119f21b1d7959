/** Writes of budgets. Each change of a budget gives the list of them a new version, which appends read. */

import { eq, sql } from "drizzle-orm";
import type { FeedWrites } from "../../../src/feed/port.ts";
import type { Session } from "../../engine/session.ts";

/** Makes all processes read budgets and runs again at their next append, and sums at their next read. */
export const renewVersion = async ({ db, t: { feed_head } }: Session): Promise<void> =>
  void (await db
    .update(feed_head)
    .set({ budgets: sql`${feed_head.budgets} + 1` })
    .where(eq(feed_head.one, 1)));

export const budgetWrites = (session: Session) => {
  const { db, t } = session;
  const { budgets, budget_periods } = t;
  return {
    async addBudget(budget) {
      const [row] = await db.insert(budgets).values(budget).returning({ id: budgets.id });
      await renewVersion(session);
      return (row as { id: number }).id;
    },
    async changeBudget(id, change) {
      await db.update(budgets).set(change).where(eq(budgets.id, id));
      await renewVersion(session);
    },
    async removeBudget(id) {
      await db.delete(budget_periods).where(eq(budget_periods.budget, id));
      await db.delete(budgets).where(eq(budgets.id, id));
      await renewVersion(session);
    },
    async setSpending(row) {
      const { spent, notified } = row;
      await db
        .insert(budget_periods)
        .values(row)
        .onConflictDoUpdate({
          target: [budget_periods.budget, budget_periods.start],
          set: { spent, notified },
        });
    },
  } satisfies Partial<FeedWrites>;
};
