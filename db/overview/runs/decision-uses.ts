/** Who used a decision: the briefs that carried it, and the runs that were given them. */
import { and, desc, eq, lt, notLike } from "drizzle-orm";
import { cachedBriefPrefix } from "../../../src/core/runs/cached-brief-prefix.ts";
import type { DecisionUseRow } from "../../../src/overview/rows.ts";
import type { Session } from "../../engine/session.ts";
import { runColumns, toRunRow } from "../../feed/runs/columns.ts";

/** Newest first: a range of the primary key of `brief_decisions`. */
export async function briefsWithDecision(
  session: Session,
  decision: number,
  { before, limit }: { before?: number; limit: number },
): Promise<DecisionUseRow[]> {
  const {
    db,
    t: { brief_decisions, briefs, runs },
  } = session;
  const { id, at, hash, chars, run_id } = briefs;
  const rows = await db
    .select({ brief: { id, at, hash, chars, run_id }, run: runColumns(session) })
    .from(brief_decisions)
    .innerJoin(briefs, eq(id, brief_decisions.brief))
    .leftJoin(runs, and(eq(runs.id, run_id), eq(runs.project, briefs.project)))
    .where(
      and(
        eq(brief_decisions.decision, decision),
        notLike(run_id, `${cachedBriefPrefix}%`),
        before === undefined ? undefined : lt(brief_decisions.brief, before),
      ),
    )
    .orderBy(desc(brief_decisions.brief))
    .limit(limit);
  return rows.map(({ brief, run }) => ({ ...brief, run: run && toRunRow(run) }));
}
