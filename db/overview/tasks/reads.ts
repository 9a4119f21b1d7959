/** Reads of tasks: their pull requests, what rejections became, and which briefs carried them. */
import { and, asc, eq, inArray, sql } from "drizzle-orm";
import type { VerdictReads } from "../../../src/library/port.ts";
import { isDecisionOf } from "../../../src/memory/set-ref.ts";
import type { TaskReads } from "../../../src/overview/port.ts";
import type { Session } from "../../engine/session.ts";
import { pullRequestsOf, readIssuesOf } from "../../feed/tasks/pull-request-issues.ts";
import { historyColumns } from "../../memory/decision-pages.ts";
import { allRows, literalCount } from "../../query/sql.ts";

export const taskReads = (session: Session): TaskReads & Pick<VerdictReads, "rejectionDecisions"> => ({
  async pullRequestsOf(project, issue, limit) {
    const pulls = pullRequestsOf(sql`${issue}`, project);
    const rows = await allRows<{ pr: number | string }>(
      session,
      sql`select pr from (${pulls}) as pulls order by pr limit ${literalCount(limit)}`,
    );
    return rows.map(({ pr }) => Number(pr));
  },
  async issueOfPullRequest(project, pr) {
    const issueOf = await readIssuesOf(session, [{ project, pr }]);
    return issueOf({ project, pr });
  },
  async rejectionDecisions(project, reviews) {
    if (reviews.length === 0) return [];
    const { db, t } = session;
    const { decisions } = t;
    // The index has the time of a decision, which is that of the review, but not its source.
    const rows = await db
      .select(historyColumns(decisions))
      .from(decisions)
      .where(
        and(
          eq(decisions.project, project),
          inArray(
            decisions.valid_from,
            reviews.map(({ reviewed_at }) => reviewed_at),
          ),
        ),
      );
    return rows.filter((row) => reviews.some((review) => isDecisionOf(row, review)));
  },
  async briefsOfRuns(project, runs, limit) {
    if (runs.length === 0) return [];
    const { db, t } = session;
    const { briefs, brief_decisions } = t;
    const given = await db
      .select({ id: briefs.id, run_id: briefs.run_id, hash: briefs.hash, at: briefs.at })
      .from(briefs)
      .where(and(inArray(briefs.run_id, [...runs]), eq(briefs.project, project)))
      .orderBy(asc(briefs.at), asc(briefs.id))
      .limit(limit);
    if (given.length === 0) return [];
    const ids = given.map(({ id }) => id);
    const carried = await db.select().from(brief_decisions).where(inArray(brief_decisions.brief, ids));
    const byBrief = Map.groupBy(carried, ({ brief }) => brief);
    return given.map(({ id, ...brief }) => ({
      ...brief,
      decisions: (byBrief.get(id) ?? []).map(({ decision }) => decision),
    }));
  },
});
