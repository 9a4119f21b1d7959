/**
 * Counters that change with every append: events and open issues of a project. A batch is summed first, so
 * each counter is updated once.
 */
import { eq, type SQL, sql } from "drizzle-orm";
import type { Micros } from "../../src/core/lib/time.ts";
import type { EventRow } from "../../src/feed/schema.ts";
import type { Session } from "../engine/session.ts";
import { preparedWrite } from "../query/prepared-statement.ts";
import { pipeline } from "../query/sql.ts";

/** Updates all counters for events that were just appended. */
export async function recordActivity(session: Session, added: EventRow[]): Promise<void> {
  const byProject = Map.groupBy(
    added.filter((row) => row.project !== null),
    (row) => row.project as string,
  );
  await pipeline([...byProject].map(([project, rows]) => updateProject(session, project, rows)));
}

async function updateProject(session: Session, slug: string, rows: EventRow[]): Promise<void> {
  const counts = { slug, events: rows.length, newest: Math.max(...rows.map((row) => row.ts)) };
  const issues = newestOfIssues(rows);
  if (issues.length === 0) await updateCounters(session)(counts);
  else {
    const list = JSON.stringify(issues);
    // The counters first: they count what the issues were before.
    await pipeline([
      updateCountersAndIssues(session)({ ...counts, list }),
      saveIssues(session)({ slug, list }),
    ]);
  }
}

type ReportedIssue = [number: number, ts: Micros, open: 0 | 1];

/** The newest opened or closed event of each issue decides its state. */
function newestOfIssues(rows: readonly EventRow[]): ReportedIssue[] {
  const newest = new Map<number, ReportedIssue>();
  for (const { issue, kind, ts } of rows) {
    if (issue === null || (kind !== "issue.opened" && kind !== "issue.closed")) continue;
    if (ts > (newest.get(issue)?.[1] ?? Number.NEGATIVE_INFINITY))
      newest.set(issue, [issue, ts, kind === "issue.opened" ? 1 : 0]);
  }
  return [...newest.values()];
}

const countersStatement = (openedOf: (session: Session) => SQL) =>
  preparedWrite((session) => {
    const { projects } = session.t;
    const newest = sql.placeholder("newest");
    return session.db
      .update(projects)
      .set({
        events_count: sql`${projects.events_count} + ${sql.placeholder("events")}`,
        open_issues: sql`${projects.open_issues} + ${openedOf(session)}`,
        last_activity: sql`case when ${projects.last_activity} >= ${newest}
          then ${projects.last_activity} else ${newest} end`,
      })
      .where(eq(projects.slug, sql.placeholder("slug")))
      .prepare();
  });

const updateCounters = countersStatement(() => sql`0`);

/** An imported event that is older than the last of its issue changes nothing. */
const updateCountersAndIssues = countersStatement(
  ({ dialect }) => sql`(select coalesce(sum(case when i.ts >= told.ts then 0
      else told.open - (case when i.open then 1 else 0 end) end), 0)
    from (select cast(value ->> 0 as bigint) as number, cast(value ->> 1 as bigint) as ts,
      cast(value ->> 2 as bigint) as open from ${dialect.jsonElements(sql.placeholder("list"))}) as told
    left join issues as i on i.number = told.number and i.project = projects.slug)`,
);

const saveIssues = preparedWrite(({ db, dialect, t: { issues } }) =>
  db
    .insert(issues)
    .select(
      sql`select cast(${sql.placeholder("slug")} as text), cast(value ->> 0 as bigint),
        cast(value ->> 1 as bigint), cast(value ->> 2 as bigint) = 1
        from ${dialect.jsonElements(sql.placeholder("list"))} where true`,
    )
    .onConflictDoUpdate({
      target: [issues.project, issues.number],
      set: { ts: sql`excluded.ts`, open: sql`excluded.open` },
      setWhere: sql`excluded.ts > ${issues.ts}`,
    })
    .prepare(),
);
