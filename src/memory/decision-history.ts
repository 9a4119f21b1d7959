/** Decisions and their history: the current ones, and those that were replaced or retired. */
import type { Viewer } from "../core/auth/caller.ts";
import { cursorOf, pageOf, readCursor } from "../core/lib/cursor.ts";
import { fromMicros, toMicros } from "../core/lib/time.ts";
import { notFound } from "../core/problem.ts";
import { requireProject } from "../feed/projects/projects.ts";
import type { MemoryContext } from "./context.ts";
import type { AllDecisionsQuery, DecisionList, DecisionRecord } from "./list-schemas.ts";
import type { MemoryReads } from "./port.ts";
import type { DecisionHistoryRow } from "./rows.ts";
import type { DecisionPosition } from "./schema.ts";

/**
 * One page of decisions, newest first, of a project or of all that the caller may see. Throws a 404 problem
 * if the caller may not see the project.
 */
export async function listDecisions(
  { data }: Pick<MemoryContext, "data">,
  { project, status = "current", as_of, limit = 50, cursor }: AllDecisionsQuery,
  caller: Viewer,
): Promise<DecisionList> {
  if (project !== undefined) await requireProject(data, project, caller);
  const rows = await data.decisions(project === undefined ? caller.projects : [project], {
    status,
    limit: limit + 1,
    ...(as_of !== undefined && { asOf: toMicros(as_of) }),
    ...(cursor !== undefined && { after: positionOf(cursor) }),
  });
  const { page, next_cursor } = pageOf(rows, limit, (last) => cursorOf(last.valid_from, String(last.id)));
  return { decisions: page.map(toRecord), count: page.length, next_cursor };
}

/** Returns a decision's row. @throws 404 if it does not exist or the caller may not see it */
export async function requireDecision(
  data: MemoryReads,
  id: number,
  { projects }: Viewer,
): Promise<DecisionHistoryRow> {
  const row = await data.decision(projects, id);
  if (!row) throw notFound(`No decision ${id}, or this token may not see its project.`);
  return row;
}

function positionOf(cursor: string): DecisionPosition {
  const { ts, rest } = readCursor(cursor);
  return { valid_from: ts ?? 0, id: Number(rest) };
}

export const toRecord = ({
  valid_from,
  valid_until,
  checks,
  ...row
}: DecisionHistoryRow): DecisionRecord => ({
  ...row,
  checks: checks ?? [],
  valid_from: fromMicros(valid_from),
  valid_until: valid_until === null ? null : fromMicros(valid_until),
});
