/** Decisions and their history: the current ones, and those that were replaced or retired. */
import type { Caller } from "../core/auth/caller.ts";
import type { Context } from "../core/context.ts";
import type { Data } from "../core/data.ts";
import { cursorOf, readCursor } from "../core/lib/cursor.ts";
import { fromMicros, toMicros } from "../core/lib/time.ts";
import { notFound } from "../core/problem.ts";
import type { DecisionHistoryRow } from "../core/rows.ts";
import { requireProject } from "../feed/projects/projects.ts";
import type { AllDecisionsQuery, DecisionDetail, DecisionList, DecisionRecord } from "./list-schemas.ts";
import { type DecisionPosition, reviewSource } from "./schema.ts";

/**
 * One page of decisions, newest first, of a project or of all that the caller may see. Throws a 404 problem
 * if the caller may not see the project.
 */
export async function listDecisions(
  { data }: Pick<Context, "data">,
  { project, status = "current", as_of, limit = 50, cursor }: AllDecisionsQuery,
  caller: Pick<Caller, "projects">,
): Promise<DecisionList> {
  if (project !== undefined) await requireProject(data, project, caller);
  const rows = await data.decisions(project === undefined ? caller.projects : [project], {
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

/** A decision with its neighbors in time. Throws a 404 problem if the caller may not see it. */
export async function getDecision(
  { data }: Pick<Context, "data">,
  id: number,
  caller: Pick<Caller, "projects">,
): Promise<DecisionDetail> {
  const row = await requireDecision(data, id, caller);
  const { supersedes, source, source_ref } = row;
  const [superseded, superseded_by, asset] = await Promise.all([
    supersedes === null ? null : data.decision(caller.projects, supersedes),
    data.decisionReplacing(id),
    source === reviewSource && source_ref !== null ? data.asset(caller.projects, source_ref) : null,
  ]);
  return {
    ...toRecord(row),
    superseded: superseded && toRecord(superseded),
    superseded_by: superseded_by && toRecord(superseded_by),
    asset: asset && assetOf(asset),
  };
}

const assetOf = ({ id, title, version, issue, pr }: NonNullable<DecisionDetail["asset"]>) => ({
  ...{ id, title, version, issue, pr },
});

/** Returns a decision's row. @throws 404 if it does not exist or the caller may not see it */
export async function requireDecision(
  data: Pick<Data, "decision">,
  id: number,
  { projects }: Pick<Caller, "projects">,
): Promise<DecisionHistoryRow> {
  const row = await data.decision(projects, id);
  if (!row) throw notFound(`No decision ${id}, or this token may not see its project.`);
  return row;
}

function positionOf(cursor: string): DecisionPosition {
  const { ts, rest } = readCursor(cursor);
  return { valid_from: ts ?? 0, id: Number(rest) };
}

export const toRecord = ({ valid_from, valid_until, ...row }: DecisionHistoryRow): DecisionRecord => ({
  ...row,
  valid_from: fromMicros(valid_from),
  valid_until: valid_until === null ? null : fromMicros(valid_until),
});
