/** Briefs that runs were given, with the decisions that they carried. */
import { and, asc, eq, inArray } from "drizzle-orm";
import type { RunRow } from "../../../src/feed/rows.ts";
import type { BriefRow } from "../../../src/overview/rows.ts";
import type { Session } from "../../engine/session.ts";

/** The briefs of a run, oldest first. @param hash only the one with this text */
export async function briefsOf(
  { db, t: { briefs, brief_decisions } }: Session,
  { project, id: run }: Pick<RunRow, "project" | "id">,
  hash: string | undefined,
  limit: number,
): Promise<BriefRow[]> {
  const { id, at, chars, text } = briefs;
  const rows = await db
    .select({ id, at, hash: briefs.hash, chars, text })
    .from(briefs)
    .where(
      and(
        eq(briefs.run_id, run),
        eq(briefs.project, project),
        hash === undefined ? undefined : eq(briefs.hash, hash),
      ),
    )
    // One brief needs no order: with one, Postgres walks the briefs of the run instead of finding the hash.
    .orderBy(...(hash === undefined ? [asc(id)] : []))
    .limit(limit);
  if (rows.length === 0) return [];
  const ids = rows.map((row) => row.id);
  const carried = await db
    .select({ brief: brief_decisions.brief, decision: brief_decisions.decision })
    .from(brief_decisions)
    .where(inArray(brief_decisions.brief, ids))
    .orderBy(asc(brief_decisions.decision));
  const byBrief = Map.groupBy(carried, ({ brief }) => brief);
  return rows.map(({ id: brief, ...row }) => ({
    ...row,
    decisions: (byBrief.get(brief) ?? []).map(({ decision }) => decision),
  }));
}
