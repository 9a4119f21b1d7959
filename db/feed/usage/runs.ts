/** The most expensive runs of a range of days, and their number. */
import { and, desc, type Placeholder, type SQL, sql } from "drizzle-orm";
import { dayMicros, toMicros } from "../../../src/core/lib/time.ts";
import { YieldBudget } from "../../../src/core/lib/time-slices.ts";
import type { Projects } from "../../../src/core/rows.ts";
import type { RunUsage, UsageFilter } from "../../../src/feed/rows.ts";
import type { Session } from "../../engine/session.ts";
import {
  elements,
  literalCount,
  preparedShapes,
  preparedStatement,
  rowsReader,
} from "../../query/statements.ts";
import { markIncomplete } from "../pending.ts";
import { issueOfPullRequest } from "../tasks/pull-request-issues.ts";
import { withTaskKeys } from "../tasks/task-keys.ts";
import { isRemembered } from "./remembered-days.ts";
import { readRememberedRanges } from "./remembered-ranges.ts";
import { activeSlugs } from "./slugs.ts";

/** The columns of a run that a report shows. */
const runUsageColumns = ({ t: { runs } }: Session) => ({
  id: runs.id,
  project: runs.project,
  actor: runs.actor,
  issue: sql<number | null>`coalesce(${runs.issue}, ${issueOfPullRequest("runs")})`
    .mapWith(runs.issue)
    .as("issue"),
  pr: runs.pr,
  lane: runs.lane,
  status: runs.status,
  summary: runs.summary,
  tokens_in: runs.tokens_in,
  tokens_out: runs.tokens_out,
  cache_read: runs.cache_read,
  cache_write: runs.cache_write,
  cost_equiv: runs.cost_equiv,
});

type Query = UsageFilter & { limit: number };

/** The runs that started in these days and cost most, those of teams and people too. */
export async function expensiveRuns(session: Session, projects: Projects, query: Query): Promise<RunUsage[]> {
  const slugs = await activeSlugs(session, projects, query);
  const isOwned = (query.team ?? query.person) !== undefined;
  if (isOwned || query.limit > rememberedMax || !isRemembered(slugs, query)) {
    const { db, dialect, t } = session;
    const { cost_equiv, listed_at } = t.runs;
    const heads = headsOf(session, slugs, daysOf(query), query);
    const found = await db
      .select(runUsageColumns(session))
      .from(t.runs)
      .where(dialect.isIn(listed_at, sql`select listed_at from (${heads}) as heads`))
      .orderBy(desc(cost_equiv), desc(listed_at))
      .limit(query.limit);
    return withTaskKeys(session, found);
  }
  const { from, to, limit } = query;
  const name = `${from} ${to} ${limit}`;
  const read = (missing: string[]) => readHeads(session, missing, query);
  const { found, isPending } = await readRememberedRanges(session, "run", slugs, name, read, none);
  const places = JSON.stringify(mostExpensive(found.values(), limit).map(({ place }) => place));
  const rows = await selectRuns(session)({ places, limit });
  return markIncomplete([{ pending: isPending }], await withTaskKeys(session, rows));
}

const daysOf = ({ from, to }: UsageFilter): number[] => {
  const [first, last] = [dayNumber(from), dayNumber(to)];
  return Array.from({ length: last - first + 1 }, (_, at) => first + at);
};

/** What the index has of a run that sorts those of a project and day by cost. */
const headColumns = ["project", "cost_equiv", "listed_at"] as const;

/** The first runs of each project and day in that index, so the rest of a busy day is not read. */
function headsOf(
  { dialect }: Session,
  slugs: readonly string[] | Placeholder,
  days: readonly number[] | Placeholder,
  query: Pick<Query, "limit" | "team" | "person">,
): SQL {
  const projectsList = sql`(select value as project from ${elements(dialect, slugs)}) as p`;
  const daysList = sql`(select cast(value as bigint) as day from ${elements(dialect, days)}) as d`;
  // Without the affinity of the cast, for which SQLite does not use the index of an expression.
  const day = dialect.unindexed(sql`lists.day`);
  // Where Postgres expects few runs on a day, it would rather read and sort all of them.
  const { where, order } = dialect.indexRange(
    {
      key: { column: sql`(${startDay("one")})`, value: day },
      ts: sql`one.cost_equiv`,
      before: undefined,
      after: undefined,
    },
    "newest first",
  );
  return dialect.forEachRow(
    sql`(select project, day from ${projectsList} cross join ${daysList}) as lists`,
    headColumns,
    sql`select ${sql.raw(headColumns.map((name) => `one.${name}`).join())} from runs as one
      where ${and(sql`one.project = lists.project`, where, ...ownersOf("one", query))}
      order by ${order}, one.listed_at desc limit ${literalCount(query.limit)}`,
  );
}

/** Runs that are remembered of a project: the most that the page of usage lists. */
const rememberedMax = 25;

const none = new Float64Array();

/** Lists of a project and a day read at a time, so that SQLite does not block other requests. */
const listsAtOnce = 6_000;

/** The cost and the place in lists of the most expensive runs of each of these projects. */
async function readHeads(
  session: Session,
  slugs: readonly string[],
  query: Query,
): Promise<Map<string, Float64Array>> {
  const days = daysOf(query);
  const projectsAtOnce = Math.max(1, Math.floor(listsAtOnce / days.length));
  const budget = new YieldBudget(1);
  const heads = new Map<string, Float64Array>();
  for (let first = 0; first < slugs.length; first += projectsAtOnce) {
    const some = JSON.stringify(slugs.slice(first, first + projectsAtOnce));
    const rows = await selectHeads(session, String(query.limit))({ slugs: some, days: JSON.stringify(days) });
    for (const [project, runs] of Map.groupBy(rows, ({ project }) => project)) {
      const numbers = runs.flatMap(({ cost_equiv, listed_at }) => [cost_equiv, Number(listed_at)]);
      const top = mostExpensive([Float64Array.from(numbers)], query.limit);
      heads.set(project, Float64Array.from(top.flatMap(({ cost, place }) => [cost, place])));
    }
    await budget.spend(1);
  }
  return heads;
}

/** By the number of runs of each list. Of the rows of runs none is read: they are far apart on the disk. */
const selectHeads = preparedShapes((session, limit: string) => {
  const [slugs, days] = [sql.placeholder("slugs"), sql.placeholder("days")];
  return rowsReader<HeadRow>(session, headsOf(session, slugs, days, { limit: Number(limit) }), headColumns);
});

type HeadRow = Pick<Session["t"]["runs"]["$inferSelect"], (typeof headColumns)[number]>;

interface Head {
  cost: number;
  place: number;
}

/** The most expensive runs of lists of costs and places. */
function mostExpensive(lists: Iterable<Float64Array>, limit: number): Head[] {
  let heads: Head[] = [];
  let least = Number.NEGATIVE_INFINITY;
  for (const list of lists) {
    for (let at = 0; at < list.length; at += 2) {
      const [cost, place] = [list[at] as number, list[at + 1] as number];
      if (cost >= least) heads.push({ cost, place });
    }
    if (heads.length < 4 * limit) continue;
    heads = heads.sort(byCost).slice(0, limit);
    least = heads.at(-1)?.cost ?? least;
  }
  return heads.sort(byCost).slice(0, limit);
}

const byCost = (a: Head, b: Head): number => b.cost - a.cost || b.place - a.place;

const selectRuns = preparedStatement((session) => {
  const { db, dialect, t } = session;
  const { cost_equiv, listed_at } = t.runs;
  const places = sql`select cast(value as bigint) from ${elements(dialect, sql.placeholder("places"))}`;
  const query = db
    .select(runUsageColumns(session))
    .from(t.runs)
    .where(dialect.isIn(listed_at, places))
    .orderBy(desc(cost_equiv), desc(listed_at))
    .limit(sql.placeholder("limit"));
  return dialect.reader<Omit<RunUsage, "task">>(db, query.prepare());
});

/** The number of runs that started in these days. */
export async function countRuns(session: Session, projects: Projects, query: UsageFilter): Promise<number> {
  const slugs = await activeSlugs(session, projects, query);
  const count = (some: string[]) => countByProject(session, some, query);
  const isOwned = (query.team ?? query.person) !== undefined;
  const counts =
    isOwned || !isRemembered(slugs, query)
      ? await count(slugs)
      : (await readRememberedRanges(session, "runCount", slugs, `${query.from} ${query.to}`, count, 0)).found;
  return counts.values().reduce((sum, one) => sum + one, 0);
}

async function countByProject(
  { db, dialect, t: { runs } }: Session,
  slugs: readonly string[],
  query: UsageFilter,
): Promise<Map<string, number>> {
  const counted = await db
    .select({ project: runs.project, count: sql`count(*)`.mapWith(Number) })
    .from(runs)
    .where(
      and(
        dialect.isIn(runs.project, sql`select value from ${elements(dialect, slugs)}`),
        sql`${startDay("runs")} between ${dayNumber(query.from)} and ${dayNumber(query.to)}`,
        ...ownersOf("runs", query),
      ),
    )
    .groupBy(runs.project);
  return new Map(counted.map(({ project, count }) => [project, count]));
}

/** The condition that a run is of a team or a person. */
function ownersOf(table: string, query: Pick<UsageFilter, "team" | "person">): SQL[] {
  const isOf = (name: "team" | "person") =>
    query[name] === undefined ? [] : [sql`${sql.raw(`${table}.${name}`)} = ${query[name]}`];
  return [...isOf("team"), ...isOf("person")];
}

/** Days since 1970, as in the index. */
const dayNumber = (day: string): number => toMicros(`${day}T00:00:00Z`) / dayMicros;
const startDay = (table: string): SQL => sql.raw(`${table}.started_at / ${dayMicros}`);
