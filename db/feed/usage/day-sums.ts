/**
 * Sums of usage by project and day, for reports: a process remembers them, and reads again only the days that
 * events were added to since (`bun run bench page-times`). An event of the past is one of these, too.
 */
import { and, type Column, getTableColumns, gt, gte, isNotNull, lte, sql, type Table } from "drizzle-orm";
import { dayMicros, dayOf, type Micros, toMicros } from "../../../src/core/lib/time.ts";
import { YieldBudget } from "../../../src/core/lib/time-slices.ts";
import type { UsageRange } from "../../../src/feed/rows.ts";
import { type UsageSums, usageFieldNames } from "../../../src/feed/usage/schema.ts";
import type { Session } from "../../engine/session.ts";
import { preparedStatement } from "../../query/prepared-statement.ts";
import { elements } from "../../query/sql.ts";
import { type Head, readFeedHead } from "../head.ts";
import type { DayGroup, DaySum, ProjectDay, Version } from "./day-cache.ts";
import { sumOfField, type UsageTable } from "./sums.ts";

/** The table that has the sums of a group. */
const tables: Record<DayGroup, UsageTable> = {
  project: "usage",
  model: "usage",
  lane: "usage",
  actor: "task_usage",
  person: "person_usage",
  team: "person_usage",
};

/** A larger report is summed in the database. */
const projectDaysMax = 40_000;
export const isRemembered = (slugs: readonly string[], range: UsageRange): boolean =>
  slugs.length * daysOf(range).length <= projectDaysMax;

function daysOf({ from, to }: UsageRange): string[] {
  const [first, last] = [timeOf(from), timeOf(to)];
  return Array.from({ length: (last - first) / dayMicros + 1 }, (_, at) => dayOf(first + at * dayMicros));
}
const timeOf = (day: string): Micros => toMicros(`${day}T00:00:00Z`);

/** After more events, all days are read again. */
const followedMax = 2_000;
/** Days read at a time, so that SQLite does not block other requests. */
const pieceDays = 14;

export interface DaySums {
  found: [day: string, sums: readonly DaySum[]][];
  /** Whether events are pending that the sums lack. */
  isPending: boolean;
}

/** The sums of each day of a range in each of these projects. */
export async function readDaySums(
  session: Session,
  by: DayGroup,
  slugs: readonly string[],
  range: UsageRange,
): Promise<DaySums> {
  const { daySums } = session;
  const head = await readFeedHead(session);
  const version = await dropChanged(session, head);
  const days = daysOf(range);
  const found: DaySums["found"] = [];
  const missing: ProjectDay[] = [];
  for (const project of slugs) {
    const known = daySums.daysOf(by, project);
    for (const day of days) {
      const sums = known?.get(day);
      if (!sums) missing.push({ project, day });
      else if (sums.length > 0) found.push([day, sums]);
    }
  }
  const read = missing.length > 0 ? await readDays(session, by, missing) : null;
  const isCurrent = version !== null && daySums.version === version;
  for (const at of missing) {
    const sums = read?.get(at.project)?.get(at.day) ?? none;
    if (isCurrent) daySums.set(by, at, sums);
    found.push([at.day, sums]);
  }
  return { found, isPending: head.derived < head.id };
}

const none: readonly DaySum[] = [];
type SumsByDay = Map<string, Map<string, DaySum[]>>;

/**
 * Drops what is remembered of days that changed until now.
 * @returns the version of the others, if what is read next is of it: a replica may be behind another one
 */
async function dropChanged(session: Session, head: Head): Promise<Readonly<Version> | null> {
  const { daySums } = session;
  for (;;) {
    const known = daySums.version;
    const isSame = known?.budgets === head.budgets;
    if (known && isSame && known.derived >= head.derived)
      return known.derived === head.derived ? known : null;
    const canFollow = known && isSame && head.derived - known.derived <= followedMax;
    const changed = canFollow ? await changedDays(session, known.derived, head.derived) : null;
    // Or another read dropped sums meanwhile.
    if (daySums.version === known) daySums.moveTo({ derived: head.derived, budgets: head.budgets }, changed);
  }
}

async function changedDays(session: Session, after: number, last: number): Promise<ProjectDay[]> {
  const rows = await selectEvents(session)({ after, last, limit: followedMax });
  const days = new Map(
    rows.map(({ project, ts }) => [`${project} ${dayOf(ts)}`, { project, day: dayOf(ts) }]),
  );
  return [...days.values()];
}

const selectEvents = preparedStatement(({ db, dialect, t: { events } }) => {
  const { project, ts } = events;
  const query = db
    .select({ project, ts })
    .from(events)
    .where(
      and(
        gt(events.id, sql.placeholder("after")),
        lte(events.id, sql.placeholder("last")),
        isNotNull(project),
      ),
    )
    .limit(sql.placeholder("limit"));
  return dialect.reader<{ project: string; ts: number }>(db, query.prepare());
});

type Row = ProjectDay & { name: string } & UsageSums;

/** Reads the days from the first of these to the last, of all of their projects. */
async function readDays(session: Session, by: DayGroup, wanted: readonly ProjectDay[]): Promise<SumsByDay> {
  const slugs = JSON.stringify([...new Set(wanted.map(({ project }) => project))]);
  const sorted = wanted.map(({ day }) => day).sort();
  const days = daysOf({ from: sorted[0] as string, to: sorted.at(-1) as string });
  const budget = new YieldBudget(1);
  const sums: SumsByDay = new Map();
  for (let at = 0; at < days.length; at += pieceDays) {
    const [from, to] = [days[at] as string, days[Math.min(at + pieceDays, days.length) - 1] as string];
    for (const { project, day, name, ...usage } of await selectDays(session)[by]({
      from,
      to,
      slugs,
      limit,
    })) {
      const ofProject = sums.get(project) ?? new Map<string, DaySum[]>();
      sums.set(project, ofProject);
      const ofDay = ofProject.get(day);
      if (ofDay) ofDay.push({ name, usage });
      else ofProject.set(day, [{ name, usage }]);
    }
    await budget.spend(1);
  }
  return sums;
}

/** A reader asks for one; there are never that many. */
const limit = 2 ** 31 - 1;

const selectDays = preparedStatement((session) => {
  const { db, t, dialect } = session;
  const select = (by: DayGroup) => {
    const table: Table = t[tables[by]];
    const columns: Record<string, Column> = getTableColumns(table);
    const column = (name: string) => columns[name] as Column;
    const [project, day, name] = [column("project"), column("day"), column(by)];
    const sums = usageFieldNames.map((field) => [field, sumOfField(session, column(field), field).as(field)]);
    const slugs = sql`select value from ${elements(dialect, sql.placeholder("slugs"))}`;
    const query = db
      .select({ project, day, name: sql`${name}`.as("name"), ...Object.fromEntries(sums) })
      .from(table)
      .where(
        and(dialect.isIn(project, slugs), gte(day, sql.placeholder("from")), lte(day, sql.placeholder("to"))),
      )
      .groupBy(sql`${project}`, sql`${day}`, sql`${name}`)
      .limit(sql.placeholder("limit"));
    return dialect.reader<Row>(db, query.prepare());
  };
  return Object.fromEntries(Object.keys(tables).map((by) => [by, select(by as DayGroup)])) as Record<
    DayGroup,
    ReturnType<typeof select>
  >;
});
