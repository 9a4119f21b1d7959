/** What moves with every append: counters of projects, open issues, usage. Sums are made here first, one statement each after. */
import { and, eq, inArray, sql } from "drizzle-orm";
import type { EventRow } from "../src/feed/schema.ts";
import { dayOf } from "../src/time.ts";
import type { Session } from "./session.ts";

export async function recordActivity(session: Session, added: EventRow[]): Promise<void> {
  const byProject = Map.groupBy(
    added.filter((row) => row.project !== null),
    (row) => row.project as string,
  );
  for (const [project, rows] of byProject) {
    const opened = await recordIssues(session, project, rows);
    await recordProject(session, project, rows, opened);
    await recordUsage(session, project, rows);
  }
}

async function recordProject({ db, t: { projects } }: Session, slug: string, rows: EventRow[], opened: number): Promise<void> {
  const newest = Math.max(...rows.map((row) => row.ts));
  await db
    .update(projects)
    .set({
      events_count: sql`${projects.events_count} + ${rows.length}`,
      open_issues: sql`${projects.open_issues} + ${opened}`,
      last_activity: sql`case when ${projects.last_activity} >= ${newest} then ${projects.last_activity} else ${newest} end`,
    })
    .where(eq(projects.slug, slug));
}

/**
 * An issue is open or closed by its newest opened or closed event, in the order of `ts`: older ones change nothing.
 * @returns how many more issues are open than before
 */
async function recordIssues({ db, t: { issues } }: Session, project: string, rows: EventRow[]): Promise<number> {
  const newest = new Map<number, EventRow>();
  for (const row of rows) {
    if (row.issue === null || (row.kind !== "issue.opened" && row.kind !== "issue.closed")) continue;
    if (row.ts > (newest.get(row.issue)?.ts ?? Number.NEGATIVE_INFINITY)) newest.set(row.issue, row);
  }
  if (newest.size === 0) return 0;
  const known = await db
    .select()
    .from(issues)
    .where(and(eq(issues.project, project), inArray(issues.number, [...newest.keys()])));
  const before = new Map(known.map((row) => [row.number, row]));
  const changed = [...newest].filter(([number, row]) => row.ts > (before.get(number)?.ts ?? Number.NEGATIVE_INFINITY));
  if (changed.length === 0) return 0;
  const values = changed.map(([number, row]) => ({ project, number, ts: row.ts, open: row.kind === "issue.opened" }));
  await db
    .insert(issues)
    .values(values)
    .onConflictDoUpdate({ target: [issues.project, issues.number], set: { ts: sql`excluded.ts`, open: sql`excluded.open` } });
  return values.reduce((sum, { number, open }) => sum + Number(open) - Number(before.get(number)?.open ?? false), 0);
}

const counted = ["tokens_in", "tokens_out", "cache_read", "cache_write", "cost_equiv"] as const;
const summed = [...counted, "runs", "failures", "merges"] as const;

/** Every event counts what it carries itself, so a run must not repeat what its steps have said. */
async function recordUsage({ db, t: { usage } }: Session, project: string, rows: EventRow[]): Promise<void> {
  const sums = new Map<string, typeof usage.$inferInsert>();
  for (const row of rows) {
    const part = {
      runs: Number(row.kind === "run.finished" || row.kind === "run.failed"),
      failures: Number(row.kind === "run.failed"),
      merges: Number(row.kind === "pr.merged"),
      ...Object.fromEntries(counted.map((field) => [field, row[field]])),
    } as Record<(typeof summed)[number], number>;
    if (summed.every((field) => part[field] === 0)) continue;
    const key = { project, day: dayOf(row.ts), lane: row.lane ?? "", model: row.model ?? "" };
    const id = [key.day, key.lane, key.model].join("\n");
    const sum = sums.get(id) ?? { ...key, ...Object.fromEntries(summed.map((field) => [field, 0])) };
    sums.set(id, {
      ...sum,
      ...Object.fromEntries(summed.map((field) => [field, ((sum as typeof part)[field] ?? 0) + part[field]])),
    } as typeof usage.$inferInsert);
  }
  if (sums.size === 0) return;
  await db
    .insert(usage)
    .values([...sums.values()])
    .onConflictDoUpdate({
      target: [usage.project, usage.day, usage.lane, usage.model],
      set: Object.fromEntries(summed.map((field) => [field, sql`${usage[field]} + excluded.${sql.identifier(field)}`])),
    });
}
