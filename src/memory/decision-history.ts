/** The decisions of a project: the current ones, and those that were replaced or withdrawn. */
import type { Caller } from "../auth/caller.ts";
import type { Context } from "../context.ts";
import { cursorOf, readCursor } from "../lib/cursor.ts";
import { fromMicros, toMicros } from "../lib/time.ts";
import { requireProject } from "../projects/projects.ts";
import type { DecisionHistoryRow } from "../rows.ts";
import type { DecisionList, DecisionRecord, DecisionsQuery } from "./list-schemas.ts";
import type { DecisionPosition } from "./schema.ts";

/** One page of decisions, newest first. Throws a 404 problem if the caller may not see the project. */
export async function listDecisions(
  { data }: Pick<Context, "data">,
  { slug, status = "current", as_of, limit = 50, cursor }: DecisionsQuery,
  caller: Pick<Caller, "projects">,
): Promise<DecisionList> {
  await requireProject(data, slug, caller);
  const rows = await data.decisions(slug, {
    status,
    limit: limit + 1,
    ...(as_of !== undefined && { asOf: toMicros(as_of) }),
    ...(cursor !== undefined && { after: positionOf(cursor) }),
  });
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  return {
    decisions: page.map(toRecord),
    count: page.length,
    next_cursor: rows.length > limit && last ? cursorOf(last.valid_from, String(last.id)) : null,
  };
}

function positionOf(cursor: string): DecisionPosition {
  const { ts, rest } = readCursor(cursor);
  return { valid_from: ts ?? 0, id: Number(rest) };
}

const toRecord = ({ valid_from, valid_until, ...row }: DecisionHistoryRow): DecisionRecord => ({
  ...row,
  valid_from: fromMicros(valid_from),
  valid_until: valid_until === null ? null : fromMicros(valid_until),
});
