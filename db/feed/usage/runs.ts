/** The most expensive runs of a range of days, and the runs that made rejected versions. */
import { and, desc, type SQL, sql } from "drizzle-orm";
import { dayMicros, toMicros } from "../../../src/core/lib/time.ts";
import type { Projects } from "../../../src/core/rows.ts";
import type { RunUsage, UsageFilter } from "../../../src/feed/rows.ts";
import type { Session } from "../../engine/session.ts";
import { elements, literalCount } from "../../query/sql.ts";
import { issueOfPullRequest } from "../tasks/pull-request-issues.ts";
import { withTaskKeys } from "../tasks/task-keys.ts";
import { activeSlugs } from "./slugs.ts";

/** The columns of a run that a report shows. */
export const runUsageColumns = ({ t: { runs } }: Session) => ({
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

/**
 * The runs that started in these days and cost most. Reads the first runs of each project and day in the
 * index that sorts them by cost, so the rest of a busy day is not read.
 */
export async function expensiveRuns(
  session: Session,
  projects: Projects,
  query: UsageFilter & { limit: number },
): Promise<RunUsage[]> {
  const { db, dialect, t } = session;
  const { runs } = t;
  const slugs = await activeSlugs(session, projects, query);
  const [first, last] = [dayNumber(query.from), dayNumber(query.to)];
  const days = Array.from({ length: last - first + 1 }, (_, at) => first + at);
  const projectsList = sql`(select value as project from ${elements(dialect, slugs)}) as p`;
  const daysList = sql`(select cast(value as bigint) as day from ${elements(dialect, days)}) as d`;
  const limit = literalCount(query.limit);
  // Without the affinity of the cast, for which SQLite does not use the index of an expression.
  const day = dialect.unindexed(sql`lists.day`);
  const owners = ownersOf("one", query);
  const heads = dialect.forEachRow(
    sql`(select project, day from ${projectsList} cross join ${daysList}) as lists`,
    sql`listed_at`,
    sql`select one.listed_at from runs as one
      where ${and(sql`one.project = lists.project`, sql`${startDay("one")} = ${day}`, ...owners)}
      order by one.cost_equiv desc, one.listed_at desc limit ${limit}`,
  );
  const found = await db
    .select(runUsageColumns(session))
    .from(runs)
    .where(dialect.isIn(runs.listed_at, heads))
    .orderBy(desc(runs.cost_equiv), desc(runs.listed_at))
    .limit(query.limit);
  return withTaskKeys(session, found);
}

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
