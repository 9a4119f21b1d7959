/** What was spent per day, from the totals of usage. */
import { sql } from "drizzle-orm";
import type { DailyCostRow, TodayReads } from "../../src/today/port.ts";
import type { Session } from "../engine/session.ts";
import { selectPending } from "../feed/head.ts";
import { type Marked, markIncomplete } from "../feed/pending.ts";
import { allRows, elements } from "../query/sql.ts";

export const dailyCostReads = (session: Session): Pick<TodayReads, "dailyCosts"> => ({
  async dailyCosts(projects, days) {
    const listOf = (values: readonly string[]) => elements(session.dialect, values);
    // One sum for each project and day, so that each reads one range of the primary key.
    const rows = await allRows<DailyCostRow & Marked>(
      session,
      sql`select slug as project, value as day, coalesce((select sum(cost_equiv) from usage
          where usage.project = slug and usage.day = value), 0) as cost_equiv, ${selectPending} as pending
        from (select value as slug from ${listOf(projects)}) as named cross join ${listOf(days)}`,
    );
    return markIncomplete(
      rows,
      rows.map(({ project, day, cost_equiv }) => ({ project, day, cost_equiv })),
    );
  },
});
