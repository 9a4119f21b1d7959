/**
 * Counters that change with every append: events and open issues of a project. A batch is summed first, so
 * each counter is updated once.
 */
import { eq, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { Micros } from "../../src/core/lib/time.ts";
import type { EventRow } from "../../src/feed/schema.ts";
import type { Session } from "../engine/session.ts";
import { pipeline, preparedWrite } from "../query/statements.ts";

/** Updates all counters for events that were just appended. */
export async function recordActivity(session: Session, added: EventRow[]): Promise<void> {
  const rows = added.filter((row) => row.project !== null) as (EventRow & { project: string })[];
  if (rows.length === 0) return;
  const sums = [...Map.groupBy(rows, ({ project }) => project)].map(([slug, own]) => ({
    slug,
    events: own.length,
    newest: own.reduce((newest, { ts }) => Math.max(newest, ts), Number.NEGATIVE_INFINITY),
  }));
  const issues = newestOfIssues(rows);
  const [only] = sums;
  if (issues.length === 0 && only && sums.length === 1) return void (await updateCounter(session)(only));
  const counts = JSON.stringify(sums.map(Object.values));
  if (issues.length === 0) await updateCounters(session)({ counts });
  else {
    const list = JSON.stringify(issues);
    // The counters first: they count what the issues were before.
    await pipeline([updateCountersAndIssues(session)({ counts, list }), saveIssues(session)({ list })]);
  }
}

type ReportedIssue = [project: string, issue: number, ts: Micros, open: 0 | 1];

/** The newest opened or closed event of each issue decides its state. */
function newestOfIssues(rows: readonly (EventRow & { project: string })[]): ReportedIssue[] {
  const newest = new Map<string, ReportedIssue>();
  for (const { project, issue, kind, ts } of rows) {
    if (issue === null || (kind !== "issue.opened" && kind !== "issue.closed")) continue;
    const key = `${project} ${issue}`;
    if (ts > (newest.get(key)?.[2] ?? Number.NEGATIVE_INFINITY))
      newest.set(key, [project, issue, ts, kind === "issue.opened" ? 1 : 0]);
  }
  return [...newest.values()];
}

/** The rows of `newestOfIssues`. */
const reportedIssues = ({ dialect }: Session): SQL =>
  sql`select value ->> 0 as project, cast(value ->> 1 as bigint) as number,
    cast(value ->> 2 as bigint) as ts, cast(value ->> 3 as bigint) as open
    from ${dialect.jsonElements(sql.placeholder("list"))}`;

const countersOf = (
  { t: { projects } }: Session,
  { events, newest, opened }: Record<"events" | "newest" | "opened", SQLWrapper>,
) => ({
  events_count: sql`${projects.events_count} + ${events}`,
  open_issues: sql`${projects.open_issues} + ${opened}`,
  last_activity: sql`case when ${projects.last_activity} >= ${newest}
    then ${projects.last_activity} else ${newest} end`,
});

/** Of a single project, as of most appends: SQLite takes four times as long to join a list of one. */
const updateCounter = preparedWrite((session) => {
  const { projects } = session.t;
  const [events, newest] = [sql.placeholder("events"), sql.placeholder("newest")];
  return session.db
    .update(projects)
    .set(countersOf(session, { events, newest, opened: sql`0` }))
    .where(eq(projects.slug, sql.placeholder("slug")))
    .prepare();
});

/** @param opened the number of issues that a project has more than before, as a column of its row */
const countersStatement = (openedOf: (session: Session, counts: SQL) => { opened: SQL; from: SQL }) =>
  preparedWrite((session) => {
    const { projects } = session.t;
    const counts = sql`(select value ->> 0 as slug, cast(value ->> 1 as bigint) as events,
      cast(value ->> 2 as bigint) as newest
      from ${session.dialect.jsonElements(sql.placeholder("counts"))}) as counted`;
    const { opened, from } = openedOf(session, counts);
    return session.db
      .update(projects)
      .set(countersOf(session, { events: sql`counted.events`, newest: sql`counted.newest`, opened }))
      .from(from)
      .where(sql`${projects.slug} = counted.slug`)
      .prepare();
  });

const updateCounters = countersStatement((_, counts) => ({ opened: sql`0`, from: counts }));

/** An imported event that is older than the last of its issue changes nothing. */
const updateCountersAndIssues = countersStatement((session, counts) => ({
  opened: sql`coalesce(changed.opened, 0)`,
  from: sql`${counts} left join (
    select told.project, sum(case when i.ts >= told.ts then 0
      else told.open - (case when i.open then 1 else 0 end) end) as opened
    from (${reportedIssues(session)}) as told
      left join issues as i on i.number = told.number and i.project = told.project
    group by told.project) as changed on changed.project = counted.slug`,
}));

const saveIssues = preparedWrite((session) => {
  const { issues } = session.t;
  return session.db
    .insert(issues)
    .select(sql`select project, number, ts, open = 1 from (${reportedIssues(session)}) as told where true`)
    .onConflictDoUpdate({
      target: [issues.project, issues.number],
      set: { ts: sql`excluded.ts`, open: sql`excluded.open` },
      setWhere: sql`excluded.ts > ${issues.ts}`,
    })
    .prepare();
});
