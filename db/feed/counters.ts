/**
 * Counters that change with every append: events and open issues of a project, usage. A batch is summed
 * first, so each counter is updated once.
 */
import { and, type Column, eq, type SQL, sql } from "drizzle-orm";
import type { EventRow } from "../../src/feed/schema.ts";
import { boundedAdd, sumMax } from "../../src/lib/sums.ts";
import { dayOf } from "../../src/lib/time.ts";
import type { Session } from "../engine/session.ts";
import { pipeline } from "../query/pipeline.ts";
import { preparedStatement, preparedWrite } from "../query/prepared-statement.ts";

/** Updates all counters for events that were just appended. */
export async function recordActivity(session: Session, added: EventRow[]): Promise<void> {
  const byProject = Map.groupBy(
    added.filter((row) => row.project !== null),
    (row) => row.project as string,
  );
  await pipeline(
    [...byProject].flatMap(([project, rows]) => [
      updateProject(session, project, rows),
      recordUsage(session, project, rows),
    ]),
  );
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

const placeholders = (fields: readonly string[]) =>
  Object.fromEntries(fields.map((field) => [field, sql.placeholder(field)]));

const selectIssue = preparedStatement(({ db, t: { issues } }) =>
  db
    .select()
    .from(issues)
    .where(and(eq(issues.project, sql.placeholder("project")), eq(issues.number, sql.placeholder("number"))))
    .prepare(),
);

const saveIssue = preparedStatement(({ db, t: { issues } }) =>
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
  const changes = [...newest].map(async ([number, { ts, kind }]) => {
    const [before] = await selectIssue(session).execute({ project, number });
    if (before && before.ts >= ts) return 0;
    const open = kind === "issue.opened";
    await saveIssue(session).execute({ project, number, ts, open });
    return Number(open) - Number(before?.open ?? false);
  });
  return (await pipeline(changes)).reduce((sum, change) => sum + change, 0);
}

const usageFields = [
  "tokens_in",
  "tokens_out",
  "cache_read",
  "cache_write",
  "cost_equiv",
  "runs",
  "failures",
  "merges",
] as const;

const addUsage = preparedWrite(({ db, t: { usage } }) =>
  db
    .insert(usage)
    .values(
      placeholders([
        "project",
        "day",
        "lane",
        "model",
        ...usageFields,
      ]) as unknown as typeof usage.$inferInsert,
    )
    .onConflictDoUpdate({
      target: [usage.project, usage.day, usage.lane, usage.model],
      set: Object.fromEntries(
        usageFields.map((field) => [field, boundedSum(usage[field], sql`excluded.${sql.identifier(field)}`)]),
      ),
    })
    .prepare(),
);

/** The SQL of `sum + more`, at most `sumMax`. */
export const boundedSum = (sum: Column, more: SQL) => {
  const most = sql.raw(String(sumMax));
  return sql`case when ${sum} > ${most} - ${more} then ${most} else ${sum} + ${more} end`;
};

type UsageSums = Record<(typeof usageFields)[number], number>;

/**
 * Adds the usage of events to the sums of their day, lane and model. Each event is counted by itself, so a
 * `run.finished` must not report again what its `step.usage` events reported.
 */
async function recordUsage(session: Session, project: string, rows: EventRow[]): Promise<void> {
  const sums = new Map<string, UsageSums>();
  for (const row of rows) {
    const usage = usageOf(row);
    if (usageFields.every((field) => usage[field] === 0)) continue;
    const key = { project, day: dayOf(row.ts), lane: row.lane ?? "", model: row.model ?? "" };
    const id = [key.day, key.lane, key.model].join("\n");
    const sum = sums.get(id);
    if (sum) for (const field of usageFields) sum[field] = boundedAdd(sum[field], usage[field]);
    else sums.set(id, { ...key, ...usage });
  }
  await pipeline([...sums.values()].map((sum) => addUsage(session)(sum)));
}

const usageOf = (row: EventRow): UsageSums => ({
  tokens_in: row.tokens_in,
  tokens_out: row.tokens_out,
  cache_read: row.cache_read,
  cache_write: row.cache_write,
  cost_equiv: row.cost_equiv,
  runs: Number(row.kind === "run.finished" || row.kind === "run.failed"),
  failures: Number(row.kind === "run.failed"),
  merges: Number(row.kind === "pr.merged"),
});
