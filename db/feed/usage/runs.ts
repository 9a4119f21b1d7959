/** The most expensive runs of a range of days, and their number. */
import { and, desc, type SQL, sql } from "drizzle-orm";
import { dayMicros, dayOf, toMicros } from "../../../src/core/lib/time.ts";
import type { Projects } from "../../../src/core/rows.ts";
import type { RunUsage, UsageFilter } from "../../../src/feed/rows.ts";
import type { Session } from "../../engine/session.ts";
import { preparedStatement } from "../../query/prepared-statement.ts";
import { elements, literalCount } from "../../query/sql.ts";
import { markIncomplete } from "../pending.ts";
import { issueOfPullRequest } from "../tasks/pull-request-issues.ts";
import { withTaskKeys } from "../tasks/task-keys.ts";
import {
  byProjectAndDay,
  type DaySource,
  isRemembered,
  type RememberedDays,
  readRememberedDays,
} from "./remembered-days.ts";
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
  if (isOwned || query.limit > headsMax || !isRemembered(slugs, query)) {
    const { db, dialect, t } = session;
    const { cost_equiv, listed_at } = t.runs;
    const found = await db
      .select(runUsageColumns(session))
      .from(t.runs)
      .where(dialect.isIn(listed_at, headsOf(session, slugs, query)))
      .orderBy(desc(cost_equiv), desc(listed_at))
      .limit(query.limit);
    return withTaskKeys(session, found);
  }
  const { found, isPending } = await readRememberedDays(session, dayHeads(session), slugs, query);
  const places = JSON.stringify(mostExpensive(found, query.limit));
  const rows = await selectRuns(session)({ places, limit: query.limit });
  return markIncomplete([{ pending: isPending }], await withTaskKeys(session, rows));
}

/**
 * The places in lists of the first runs of each project and day, in the index that sorts them by cost, so the
 * rest of a busy day is not read.
 */
function headsOf(session: Session, slugs: readonly string[], query: Query): SQL {
  const { dialect } = session;
  const [first, last] = [dayNumber(query.from), dayNumber(query.to)];
  const days = Array.from({ length: last - first + 1 }, (_, at) => first + at);
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
    sql`listed_at`,
    sql`select one.listed_at from runs as one
      where ${and(sql`one.project = lists.project`, where, ...ownersOf("one", query))}
      order by ${order}, one.listed_at desc limit ${literalCount(query.limit)}`,
  );
}

/** Runs that are remembered of a day: the most that the page of usage lists. */
const headsMax = 25;

/** The cost and the place in lists of each of these runs, the most expensive first. */
const dayHeads = (session: Session): DaySource<"run"> => ({
  kind: "run",
  pieceDays: 31,
  none: new Float64Array(),
  async read(slugs, range) {
    const { db, dialect, t } = session;
    const { project, started_at, cost_equiv, listed_at } = t.runs;
    const rows = await db
      .select({ project, started_at, cost_equiv, listed_at })
      .from(t.runs)
      .where(dialect.isIn(listed_at, headsOf(session, slugs, { ...range, limit: headsMax })))
      .orderBy(desc(cost_equiv), desc(listed_at));
    return byProjectAndDay(rows.map((row) => ({ ...row, day: dayOf(row.started_at) }))).map(
      ({ at, rows }) => [
        at,
        Float64Array.from(rows.flatMap(({ cost_equiv, listed_at }) => [cost_equiv, listed_at])),
      ],
    );
  },
});

/** The places of the most expensive runs of all days. */
function mostExpensive(days: RememberedDays<"run">["found"], limit: number): number[] {
  let heads: { cost: number; place: number }[] = [];
  let least = Number.NEGATIVE_INFINITY;
  for (const { value } of days) {
    for (let at = 0; at < value.length; at += 2) {
      const [cost, place] = [value[at] as number, value[at + 1] as number];
      // As the rest of the day.
      if (cost < least) break;
      heads.push({ cost, place });
    }
    if (heads.length < 4 * limit) continue;
    heads = heads.sort(byCost).slice(0, limit);
    least = heads.at(-1)?.cost ?? least;
  }
  return heads
    .sort(byCost)
    .slice(0, limit)
    .map(({ place }) => place);
}

const byCost = (a: { cost: number; place: number }, b: typeof a): number =>
  b.cost - a.cost || b.place - a.place;

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
  const { db, dialect, t } = session;
  const slugs = await activeSlugs(session, projects, query);
  const [counted] = await db
    .select({ count: sql`count(*)`.mapWith(Number) })
    .from(t.runs)
    .where(
      and(
        dialect.isIn(t.runs.project, sql`select value from ${elements(dialect, slugs)}`),
        sql`${startDay("runs")} between ${dayNumber(query.from)} and ${dayNumber(query.to)}`,
        ...ownersOf("runs", query),
      ),
    );
  return Number(counted?.count ?? 0);
}

/** The condition that a run is of a team or a person. */
function ownersOf(table: string, query: UsageFilter): SQL[] {
  const isOf = (name: "team" | "person") =>
    query[name] === undefined ? [] : [sql`${sql.raw(`${table}.${name}`)} = ${query[name]}`];
  return [...isOf("team"), ...isOf("person")];
}

/** Days since 1970, as in the index. */
const dayNumber = (day: string): number => toMicros(`${day}T00:00:00Z`) / dayMicros;
const startDay = (table: string): SQL => sql.raw(`${table}.started_at / ${dayMicros}`);
