/** What the last runs of a project cost. */

import { sql } from "drizzle-orm";
import type { OverviewReads } from "../../../src/overview/port.ts";
import type { Session } from "../../engine/session.ts";
import { allRows, literalCount } from "../../query/sql.ts";

/** The last runs of a project that are read: a bounded range of its index, whatever their status and lane. */
const recentMax = 100;

export const usualCostReads = (session: Session) =>
  ({
    recentRunCosts: (project) =>
      allRows(
        session,
        sql`select lane, cost_equiv from (select lane, status, cost_equiv from runs where project = ${project}
        order by listed_at desc limit ${literalCount(recentMax)}) as recent
        where status = 'finished' and cost_equiv > 0`,
      ),
  }) satisfies Partial<OverviewReads>;
