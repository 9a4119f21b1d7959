/**
 * Counters that change with every append: events and open issues of a project. A batch is summed first, so
 * each counter is updated once.
 */
import { and, eq, sql } from "drizzle-orm";
import type { EventRow } from "../../src/feed/schema.ts";
import type { Session } from "../engine/session.ts";
import { placeholders, preparedStatement, preparedWrite } from "../query/prepared-statement.ts";
import { pipeline } from "../query/sql.ts";

/** Updates all counters for events that were just appended. */
export async function recordActivity(session: Session, added: EventRow[]): Promise<void> {
  const byProject = Map.groupBy(
    added.filter((row) => row.project !== null),
    (row) => row.project as string,
  );
  await pipeline([...byProject].map(([project, rows]) => updateProject(session, project, rows)));
}

async function updateProject(session: Session, project: string, rows: EventRow[]): Promise<void> {
  const opened = await recordIssues(session, project, rows);
  const newest = Math.max(...rows.map((row) => row.ts));
  await updateProjectCounters(session)({ slug: project, events: rows.length, opened, newest });
}

const updateProjectCounters = preparedWrite(({ db, t: { projects } }) => {
  const newest = sql.placeholder("newest");
  return db
    .update(projects)
    .set({
      events_count: sql`${projects.events_count} + ${sql.placeholder("events")}`,
      open_issues: sql`${projects.open_issues} + ${sql.placeholder("opened")}`,
      last_activity: sql`case when ${projects.last_activity} >= ${newest}
        then ${projects.last_activity} else ${newest} end`,
    })
    .where(eq(projects.slug, sql.placeholder("slug")))
    .prepare();
});

const selectIssue = preparedStatement(({ db, dialect, t: { issues } }) => {
  const query = db
    .select()
    .from(issues)
    .where(and(eq(issues.project, sql.placeholder("project")), eq(issues.number, sql.placeholder("number"))))
    .limit(sql.placeholder("limit"))
    .prepare();
  return dialect.reader<typeof issues.$inferSelect>(db, query, issues);
});

const saveIssue = preparedWrite(({ db, t: { issues } }) =>
  db
    .insert(issues)
    .values(placeholders(["project", "number", "ts", "open"]) as unknown as typeof issues.$inferInsert)
    .onConflictDoUpdate({
      target: [issues.project, issues.number],
      set: { ts: sql`excluded.ts`, open: sql`excluded.open` },
    })
    .prepare(),
);

/**
 * Updates the state of issues. The newest opened or closed event by `ts` decides, so an imported older event
 * changes nothing.
 * @returns the change in the number of open issues
 */
async function recordIssues(session: Session, project: string, rows: EventRow[]): Promise<number> {
  const newest = new Map<number, EventRow>();
  for (const row of rows) {
    if (row.issue === null || (row.kind !== "issue.opened" && row.kind !== "issue.closed")) continue;
    if (row.ts > (newest.get(row.issue)?.ts ?? Number.NEGATIVE_INFINITY)) newest.set(row.issue, row);
  }
  if (newest.size === 0) return 0;
  const changes = [...newest].map(async ([number, { ts, kind }]) => {
    const [before] = await selectIssue(session)({ project, number, limit: 1 });
    if (before && before.ts >= ts) return 0;
    const open = kind === "issue.opened";
    await saveIssue(session)({ project, number, ts, open });
    return Number(open) - Number(before?.open ?? false);
  });
  return (await pipeline(changes)).reduce((sum, change) => sum + change, 0);
}
