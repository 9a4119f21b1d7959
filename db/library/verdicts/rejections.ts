/** The decisions that rejections became, with the assets that they are about. */

import { and, desc, eq, inArray, isNull, or, type SQL, sql } from "drizzle-orm";
import type { LibraryReads } from "../../../src/library/port.ts";
import { isDecisionOf } from "../../../src/memory/set-ref.ts";
import type { Session } from "../../engine/session.ts";
import { decisionColumns, historyColumns } from "../../memory/decision-pages.ts";
import { isOfSet, setOfDecision } from "../../memory/set-ref.ts";

export const rejectionReads = ({ db, t: { assets, decisions } }: Session) =>
  ({
    rejections(slug, task, limit) {
      const { id, title, version, status, issue, pr } = assets;
      return db
        .select({ ...decisionColumns(decisions), asset: { id, title, version, status, issue, pr } })
        .from(decisions)
        .leftJoin(assets, and(eq(assets.id, decisions.source_ref), eq(assets.project, decisions.project)))
        .where(
          and(
            eq(decisions.project, slug),
            isNull(decisions.valid_until),
            eq(decisions.source, "review"),
            task === undefined ? undefined : or(eq(issue, task), isOfSetForIssue(task)),
          ),
        )
        .orderBy(desc(decisions.valid_from), desc(decisions.id))
        .limit(limit);
    },
    async rejectionDecisions(project, reviews) {
      if (reviews.length === 0) return [];
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
  }) satisfies Partial<LibraryReads>;

/** Whether a decision is about a set with a variant for an issue. */
const isOfSetForIssue = (task: number): SQL =>
  sql`(${isOfSet("decisions")} and exists (select 1 from assets as variant where variant.issue = ${task}
    and variant."set" = ${setOfDecision("decisions")} and variant.project = decisions.project))`;
