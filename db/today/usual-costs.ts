/** What the last runs of a project cost. */
import { and, desc, eq, gt, sql } from "drizzle-orm";
import type { TodayReads } from "../../src/today/port.ts";
import type { Session } from "../engine/session.ts";
import { preparedStatement } from "../query/prepared-statement.ts";

/** The last runs of a project that are read: a bounded range of its index, whatever their status and lane. */
const recentMax = 200;

const recentCosts = preparedStatement(({ db, t: { runs } }) => {
  const recent = db
    .select({ lane: runs.lane, status: runs.status, cost_equiv: runs.cost_equiv })
    .from(runs)
    .where(eq(runs.project, sql.placeholder("project")))
    .orderBy(desc(runs.last_event_at))
    .limit(recentMax)
    .as("recent");
  return db
    .select({ lane: recent.lane, cost_equiv: recent.cost_equiv })
    .from(recent)
    .where(and(eq(recent.status, "finished"), gt(recent.cost_equiv, 0)))
    .prepare();
});

export const usualCostReads = (session: Session): Pick<TodayReads, "recentRunCosts"> => ({
  recentRunCosts: (project) => recentCosts(session).execute({ project }),
});
