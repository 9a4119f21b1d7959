/** The open runs of a token. */
import { and, desc, eq, gte } from "drizzle-orm";
import type { Micros } from "../../../src/core/lib/time.ts";
import type { OpenRun } from "../../../src/feed/rows.ts";
import type { RunMarks } from "../../../src/feed/runs/fold.ts";
import { startOfMinute } from "../../../src/feed/runs/position.ts";
import type { Session } from "../../engine/session.ts";

/** Of several runs none is joined, so this is more than the runs that a session and its subagents are. */
const openMax = 100;

/** Newest first: a range of the index `runs_token`. */
export async function openRuns(
  { db, t: { runs } }: Session,
  project: string,
  token: string,
  since: Micros,
): Promise<OpenRun[]> {
  const { id, actor, parent, rule_key, last_event_at, marks } = runs;
  const rows = await db
    .select({ id, actor, parent, rule_key, last_event_at, marks })
    .from(runs)
    .where(and(eq(runs.token, token), eq(runs.project, project), gte(runs.listed_at, startOfMinute(since))))
    .orderBy(desc(runs.listed_at))
    .limit(openMax);
  return rows
    .filter((row) => row.last_event_at >= since)
    .map(({ marks, ...row }) => ({ ...row, isHooked: (JSON.parse(marks) as RunMarks).token?.[0] === 1 }));
}
