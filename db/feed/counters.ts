/**
 * What moves with every append: counters of projects, open issues, usage. Sums are made here first, so each
 * counter moves once.
 */
import { and, type Column, eq, type SQL, sql } from "drizzle-orm";
import type { EventRow } from "../../src/feed/schema.ts";
import { dayOf } from "../../src/lib/time.ts";
import type { Session } from "../engine/session.ts";
import { pipeline } from "../query/pipeline.ts";
import { preparedStatement, preparedWrite } from "../query/prepared-statement.ts";

export async function recordActivity(session: Session, added: EventRow[]): Promise<void> {
  const byProject = Map.groupBy(
    added.filter((row) => row.project !== null),
    (row) => row.project as string,
  );
  await pipeline(
    [...byProject].flatMap(([project, rows]) => [
      moved(session, project, rows),
      recordUsage(session, project, rows),
    ]),
  );
}

async function moved(session: Session, project: string, rows: EventRow[]): Promise<void> {
  const opened = await recordIssues(session, project, rows);
  const newest = Math.max(...rows.map((row) => row.ts));
  await moveProject(session)({ slug: project, events: rows.length, opened, newest });
}

const moveProject = preparedWrite(({ db, t: { projects } }) => {
  const newest = sql.placeholder("newest");
  return db
    .update(projects)
    .set({
      events_count: sql`${projects.events_count} + ${sql.placeholder("events")}`,
      open_issues: sql`${projects.open_issues} + ${sql.placeholder("opened")}`,
      last_activity: sql`case when ${projects.last_activity} >= ${newest} then ${projects.last_activity} else ${newest} end`,
    })
    .where(eq(projects.slug, sql.placeholder("slug")))
    .prepare();
});

const placeholders = (fields: readonly string[]) =>
  Object.fromEntries(fields.map((field) => [field, sql.placeholder(field)]));

const knownIssue = preparedStatement(({ db, t: { issues } }) =>
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
 * An issue is open or closed by its newest opened or closed event, in the order of `ts`: older ones change
 * nothing.
 * @returns how many more issues are open than before
 */
async function recordIssues(session: Session, project: string, rows: EventRow[]): Promise<number> {
  const newest = new Map<number, EventRow>();
  for (const row of rows) {
    if (row.issue === null || (row.kind !== "issue.opened" && row.kind !== "issue.closed")) continue;
    if (row.ts > (newest.get(row.issue)?.ts ?? Number.NEGATIVE_INFINITY)) newest.set(row.issue, row);
  }
  const changes = [...newest].map(async ([number, { ts, kind }]) => {
    const [before] = await knownIssue(session).execute({ project, number });
    if (before && before.ts >= ts) return 0;
    const open = kind === "issue.opened";
    await saveIssue(session).execute({ project, number, ts, open });
    return Number(open) - Number(before?.open ?? false);
  });
  return (await pipeline(changes)).reduce((sum, change) => sum + change, 0);
}

const summed = [
  "tokens_in",
  "tokens_out",
  "cache_read",
  "cache_write",
  "cost_equiv",
  "runs",
  "failures",
  "merges",
] as const;

/** Sums stop here: an append must not fail because somebody claims impossible counts. */
export const sumMax = Number.MAX_SAFE_INTEGER;

const addUsage = preparedWrite(({ db, t: { usage } }) =>
  db
    .insert(usage)
    .values(
      placeholders(["project", "day", "lane", "model", ...summed]) as unknown as typeof usage.$inferInsert,
    )
    .onConflictDoUpdate({
      target: [usage.project, usage.day, usage.lane, usage.model],
      set: Object.fromEntries(
        summed.map((field) => [field, boundedSum(usage[field], sql`excluded.${sql.identifier(field)}`)]),
      ),
    })
    .prepare(),
);

export const boundedSum = (sum: Column, more: SQL) => {
  const most = sql.raw(String(sumMax));
  return sql`case when ${sum} > ${most} - ${more} then ${most} else ${sum} + ${more} end`;
};

type Sums = Record<(typeof summed)[number], number>;

/** Every event counts what it carries itself, so a run must not repeat what its steps have said. */
async function recordUsage(session: Session, project: string, rows: EventRow[]): Promise<void> {
  const sums = new Map<string, Sums>();
  for (const row of rows) {
    const part = partOf(row);
    if (summed.every((field) => part[field] === 0)) continue;
    const key = { project, day: dayOf(row.ts), lane: row.lane ?? "", model: row.model ?? "" };
    const id = [key.day, key.lane, key.model].join("\n");
    const sum = sums.get(id);
    if (sum) for (const field of summed) sum[field] = Math.min(sumMax, sum[field] + part[field]);
    else sums.set(id, { ...key, ...part });
  }
  await pipeline([...sums.values()].map((sum) => addUsage(session)(sum)));
}

const partOf = (row: EventRow): Sums => ({
  tokens_in: row.tokens_in,
  tokens_out: row.tokens_out,
  cache_read: row.cache_read,
  cache_write: row.cache_write,
  cost_equiv: row.cost_equiv,
  runs: Number(row.kind === "run.finished" || row.kind === "run.failed"),
  failures: Number(row.kind === "run.failed"),
  merges: Number(row.kind === "pr.merged"),
});
