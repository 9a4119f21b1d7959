/** Rebuilds derived rows from their sources. */
import { sql } from "drizzle-orm";
import type { Inconsistency } from "../../src/core/maintenance.ts";
import type { Session } from "../engine/session.ts";
import { rebuildBudgets } from "../feed/budgets/rebuild.ts";
import { renewVersion } from "../feed/budgets/writes.ts";
import { rebuildPullRequestIssues } from "../feed/tasks/pull-request-issues.ts";
import { markAllTasks } from "../overview/tasks/check.ts";
import { allRows } from "../query/statements.ts";
import { countedProjects, newestIssues } from "./consistency-checks.ts";
import { rebuildRuns, reindex } from "./export.ts";
import { rebuildUsage } from "./usage.ts";

/**
 * Rebuilds the derived rows of these kinds only, since writers wait for the lock meanwhile. Runs in a
 * transaction.
 */
export async function rebuildDerivedRows(
  session: Session,
  kinds: ReadonlySet<Inconsistency["kind"]>,
): Promise<void> {
  const run = (statement: ReturnType<typeof sql>) => allRows(session, statement);
  if (kinds.has("head")) {
    await run(
      sql`update feed_head set ts = (select max(ts) from events) where ts < (select max(ts) from events)`,
    );
    await run(
      sql`update feed_head set id = (select max(id) from events) where id < (select max(id) from events)`,
    );
  }
  if (kinds.has("issues")) {
    await run(sql`delete from issues`);
    await run(sql`insert into issues (project, number, ts, open) ${newestIssues}`);
  }
  if (kinds.has("pulls")) await rebuildPullRequestIssues(session);
  if (kinds.has("usage")) {
    await rebuildUsage(session);
    await renewVersion(session);
  }
  if (kinds.has("usage") || kinds.has("budgets")) await rebuildBudgets(session);
  if (kinds.has("counters") || kinds.has("issues"))
    await run(sql`update projects set
      events_count = counted.events_count, open_issues = counted.open_issues,
      decisions_count = counted.decisions_count, last_activity = counted.last_activity
      from (${countedProjects}) as counted where counted.slug = projects.slug`);
  if (kinds.has("queue"))
    await run(sql`update assets set waiting = case when status = 'pending' then 1 else 0 end`);
  if (kinds.has("runs")) await rebuildRuns(session);
  if (kinds.has("tasks")) await markAllTasks(session);
  if (kinds.has("index")) await reindex(session);
}
