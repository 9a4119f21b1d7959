/**
 * Pages of runs, in the order of `listed_at`: newest event first, to the minute. One filter is the range of
 * an index; the others are checked on the rows of a bounded part of that range, so that no page reads more,
 * and the next one continues there.
 */

import { and, desc, inArray, type Placeholder, type SQL, sql } from "drizzle-orm";
import type { SelectedFields } from "drizzle-orm/sqlite-core";
import type { Micros } from "../../../src/core/lib/time.ts";
import type { Projects } from "../../../src/core/rows.ts";
import { withTaskNumber } from "../../../src/core/task-key.ts";
import type { FeedReads } from "../../../src/feed/port.ts";
import type { RunFilter } from "../../../src/feed/rows.ts";
import type { Range } from "../../dialect/index-range.ts";
import type { Session } from "../../engine/session.ts";
import { allRows, elements, literalCount, placeholders, preparedShapes } from "../../query/statements.ts";
import { type ReadRun, runColumns, toRunRows } from "./columns.ts";
import { boundsSql, eventConditions, type ListBounds, listBounds } from "./list-bounds.ts";
import { isPipelineId } from "./pipelines.ts";
import { type ListBounds as BoundsSql, hasPullRequests, taskPositions } from "./task-positions.ts";

type Query = Parameters<FeedReads["runs"]>[1];
type Page = Awaited<ReturnType<FeedReads["runs"]>>;

/** Rows of the range that a page checks. */
export const scanMax = 2_000;
/** With more runs at work than this, the index of a project or an actor is shorter than theirs. */
const fewMax = 200;

/** Few runs have the same value, so their index is the shortest. */
const selective = ["parent", "issue", "pr"] as const satisfies (keyof RunFilter)[];
/** Filters with an index in list order. */
const indexed = [...selective, "actor", "project", "status"] as const;
type IndexedFilter = (typeof indexed)[number];

type Condition = (session: Session, query: Query) => SQL;

const equals =
  (name: IndexedFilter | "lane" | "team" | "person"): Condition =>
  ({ dialect, t: { runs } }, query) =>
    sql`${dialect.unindexed(runs[name])} = ${query[name]}`;

/** The condition of each filter. */
const filters: Record<keyof Omit<RunFilter, "task">, Condition> = {
  project: equals("project"),
  status: equals("status"),
  actor: equals("actor"),
  issue: equals("issue"),
  pr: equals("pr"),
  lane: equals("lane"),
  parent: equals("parent"),
  team: equals("team"),
  person: equals("person"),
  model: ({ dialect, t: { runs } }, { model }) =>
    sql`${model} in (select value from ${dialect.elements(runs.models)})`,
  withoutPipelines: ({ t: { runs } }) => sql`not ${isPipelineId(runs.id)}`,
};
const filterNames = Object.keys(filters) as (keyof typeof filters)[];

const emptyPage: Page = { runs: [], next: null };

/** A page of the runs that the caller can see, newest first. Each case reads a range of one index. */
export async function runPage(session: Session, projects: Projects, given: Query): Promise<Page> {
  const scope = scopeOf(projects, given);
  if (!scope) return emptyPage;
  const { visible, query } = scope;
  const { issue, project } = query;
  if (issue !== undefined && (await hasPullRequests(session, { issue, project })))
    return issuePage(session, visible, { ...query, issue });
  const isUnfiltered = filterNames.every((name) => query[name] === undefined);
  return visible && isUnfiltered ? mergedPage(session, visible, query) : rangePage(session, visible, query);
}

/** The projects that a page is of, null for one or all, and its query; null if no run can be on it. */
export function scopeOf(projects: Projects, given: Query): { visible: string[] | null; query: Query } | null {
  const query = withTaskNumber(given);
  const { project } = query;
  if (project !== undefined) return !projects || projects.includes(project) ? { visible: null, query } : null;
  const [first, ...others] = new Set(projects);
  if (first === undefined) return projects ? null : { visible: null, query };
  if (others.length === 0) return { visible: null, query: { ...query, project: first } };
  return { visible: [first, ...others], query };
}

async function rangePage(session: Session, visible: readonly string[] | null, query: Query): Promise<Page> {
  const { shape, values, cutoff } = await boundedRange(session, visible, query);
  const rows = await selectRange(session, shape)(values);
  const isFull = rows.length === query.limit;
  return { runs: await toRunRows(session, rows), next: isFull ? (rows.at(-1)?.listed_at ?? null) : cutoff };
}

/** The part of a range that a page reads: the shape of its statement, and the values. */
export async function boundedRange(
  session: Session,
  visible: readonly string[] | null,
  query: Query,
  bounds: ListBounds = listBounds(query),
) {
  const shape: Shape = {
    key: indexed.find((name) => query[name] !== undefined),
    given: [...filterNames, ...eventBounds].filter((name) => query[name] !== undefined),
    isOfSome: visible !== null,
  };
  const values = { ...query, visible: JSON.stringify(visible) };
  /** The position of the row of this number in the range; null if it has fewer. */
  const positionOf = async (shape: Shape, number: number): Promise<Micros | null> => {
    const of = { ...values, ...bounds, skipped: number - 1 };
    const [row] = await selectPosition(session, shapeText(shape, bounds)).execute(of);
    return row?.ts ?? null;
  };
  // Runs at work are few, so their index is short, too; but not with thousands of agents (`bun run bench
  // agents`).
  const atWork: Shape = { ...shape, key: "status" };
  const isAtWork = query.status === "running" || query.status === "waiting";
  const mayBeFew = isAtWork && shape.key !== "status" && !selective.some((name) => name === shape.key);
  if (mayBeFew && (await positionOf(atWork, fewMax)) === null) shape.key = "status";
  const isScan = shape.isOfSome || shape.given.some((name) => name !== shape.key);
  const cutoff = isScan ? await positionOf(shape, scanMax) : null;
  const within = cutoff === null ? bounds : { ...bounds, after: cutoff - 1 };
  return { shape: shapeText(shape, within), values: { ...values, ...within }, cutoff };
}

const eventBounds = ["eventAfter", "eventBefore"] as const;

interface Shape {
  key: IndexedFilter | undefined;
  given: ((typeof filterNames)[number] | (typeof eventBounds)[number])[];
  isOfSome: boolean;
}

/** A text for each statement: building one takes longer than running it. */
const shapeText = (shape: Shape, { before, after }: ListBounds): string =>
  JSON.stringify({ ...shape, bounds: { before: before !== undefined, after: after !== undefined } });

/** The parts of a statement, with a placeholder for each value. */
function rangeParts(session: Session, text: string) {
  const { key, given, isOfSome, bounds } = JSON.parse(text) as Shape & { bounds: Record<string, boolean> };
  // safe because: conditions put the values into SQL as they are, and a placeholder may stand for each
  const query = placeholders(given) as unknown as Query;
  const bound = (name: string) => (bounds[name] ? sql`${sql.placeholder(name)}` : undefined);
  return {
    // The cutoff is a bound of the range: by a condition of its own, Postgres would choose another index.
    range: rangeSql(session, query, key, { before: bound("before"), after: bound("after") }),
    conditions: conditionsOf(session, isOfSome ? sql.placeholder("visible") : null, query, key),
  };
}

/** Selects columns of a range; the shape of `boundedRange` tells which statement. */
export const selectColumns = <Row>(columnsOf: (session: Session) => SelectedFields) =>
  preparedShapes((session, text: string) => {
    const { range, conditions } = rangeParts(session, text);
    const { runs } = session.t;
    const query = session.db
      .select(columnsOf(session))
      .from(runs)
      .where(and(range.where, ...conditions))
      .orderBy(range.order)
      .limit(sql.placeholder("limit"))
      .prepare();
    return session.dialect.reader<Row>(session.db, query, runs);
  });
const selectRange = selectColumns<ReadRun>(runColumns);
const selectPosition = preparedShapes((session, text: string) => {
  const { where, order } = rangeParts(session, text).range;
  const { runs } = session.t;
  return session.db
    .select({ ts: runs.listed_at })
    .from(runs)
    .where(where)
    .orderBy(order)
    .limit(1)
    .offset(sql.placeholder("skipped"))
    .prepare();
});

/** The conditions of a query apart from that of its range. */
function conditionsOf(
  session: Session,
  visible: readonly string[] | Placeholder | null,
  query: Query,
  key: IndexedFilter | undefined,
): SQL[] {
  const { runs } = session.t;
  const conditions = filterNames
    .filter((name) => name !== key && query[name] !== undefined)
    .map((name) => filters[name](session, query));
  conditions.push(...eventConditions(runs.last_event_at, query));
  if (visible) {
    const project = session.dialect.unindexed(runs.project);
    conditions.push(sql`${project} in (select value from ${elements(session.dialect, visible)})`);
  }
  return conditions;
}

/** A page of the runs of an issue, and of those that name only a pull request of it. */
async function issuePage(
  session: Session,
  visible: readonly string[] | null,
  query: Query & { issue: number },
): Promise<Page> {
  const { limit } = query;
  const times = await taskPositions(session, query, boundsSql(listBounds(query)), "newest first", scanMax);
  if (times.length === 0) return emptyPage;
  const { runs } = session.t;
  const isListed = session.dialect.isIn(
    runs.listed_at,
    sql`select cast(value as bigint) from ${elements(session.dialect, times)}`,
  );
  const rows = await session.db
    .select(runColumns(session))
    .from(runs)
    .where(and(isListed, ...conditionsOf(session, visible, query, "issue")))
    .orderBy(sql`${session.dialect.unindexed(runs.listed_at)} desc`)
    .limit(limit);
  const end = times.length === scanMax ? (times.at(-1) ?? null) : null;
  return {
    runs: await toRunRows(session, rows),
    next: rows.length === limit ? (rows.at(-1)?.listed_at ?? null) : end,
  };
}

function rangeSql(
  { t: { runs }, dialect }: Session,
  query: Query,
  key: IndexedFilter | undefined,
  bounds: BoundsSql,
): Range {
  return dialect.indexRange(
    {
      ...(key && { key: { column: runs[key], value: sql`${query[key]}` } }),
      // Their indexes are partial, which Postgres uses with an equality only.
      isOnlyIndex: selective.some((name) => name === key),
      ts: runs.listed_at,
      ...bounds,
    },
    "newest first",
  );
}

/** Merges the newest runs of each project. */
async function mergedPage(session: Session, projects: readonly string[], query: Query): Promise<Page> {
  const { runs } = session.t;
  const key = { column: sql`one.project`, value: sql`lists.name` };
  const head = session.dialect.indexRange(
    { key, ts: sql`one.listed_at`, ...boundsSql(listBounds(query)) },
    "newest first",
  );
  const where = and(head.where, ...eventConditions(sql`one.last_event_at`, query));
  const limit = literalCount(query.limit);
  const heads = session.dialect.forEachRow(
    sql`(select value as name from ${elements(session.dialect, projects)}) as lists`,
    ["listed_at"],
    sql`select one.listed_at from runs as one where ${where} order by ${head.order} limit ${limit}`,
  );
  const found = await allRows<{ listed_at: number | string }>(
    session,
    sql`select listed_at from (${heads}) as heads order by listed_at desc limit ${limit}`,
  );
  const times = found.map((row) => Number(row.listed_at));
  if (times.length === 0) return emptyPage;
  const rows = await session.db
    .select(runColumns(session))
    .from(runs)
    .where(inArray(runs.listed_at, times))
    .orderBy(desc(runs.listed_at));
  return {
    runs: await toRunRows(session, rows),
    next: rows.length === query.limit ? (times.at(-1) ?? null) : null,
  };
}
