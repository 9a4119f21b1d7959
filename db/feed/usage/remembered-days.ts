/**
 * Usage by project and day, for reports: a process remembers it, and reads again only the days that events
 * were added to since (`bun run bench page-times`). An event of the past is one of these, too.
 */
import { and, gt, isNotNull, lte, sql } from "drizzle-orm";
import { dayMicros, dayOf, type Micros, toMicros } from "../../../src/core/lib/time.ts";
import { YieldBudget } from "../../../src/core/lib/time-slices.ts";
import type { UsageRange } from "../../../src/feed/rows.ts";
import type { Session } from "../../engine/session.ts";
import { preparedStatement } from "../../query/statements.ts";
import { type Head, readFeedHead } from "../head.ts";
import type { DayKind, DayValues, ProjectDay, Version } from "./day-cache.ts";

/** A larger report is summed in the database. */
const projectDaysMax = 40_000;
export const isRemembered = (slugs: readonly string[], range: UsageRange): boolean =>
  slugs.length * daysOf(range).length <= projectDaysMax;

export function daysOf({ from, to }: UsageRange): string[] {
  const [first, last] = [timeOf(from), timeOf(to)];
  return Array.from({ length: (last - first) / dayMicros + 1 }, (_, at) => dayOf(first + at * dayMicros));
}
const timeOf = (day: string): Micros => toMicros(`${day}T00:00:00Z`);

/** After more events, all days are read again. */
export const followedMax = 2_000;

/** How days of one kind are read. */
export interface DaySource<Kind extends DayKind> {
  kind: Kind;
  /** Days read at a time, so that SQLite does not block other requests. */
  pieceDays: number;
  /** What a day has that is not among those read. */
  none: DayValues[Kind];
  read(
    slugs: readonly string[],
    range: UsageRange,
  ): Promise<Iterable<readonly [ProjectDay, DayValues[Kind]]>>;
}

export interface RememberedDays<Kind extends DayKind> {
  /** Days that have something. */
  found: { project: string; day: string; value: DayValues[Kind] }[];
  /** The version that all of them are of; null if they changed while they were read. */
  version: Readonly<Version> | null;
  /** Whether events are pending that they lack. */
  isPending: boolean;
}

/** Each day of a range in each of these projects. */
export async function readRememberedDays<Kind extends DayKind>(
  session: Session,
  source: DaySource<Kind>,
  slugs: readonly string[],
  range: UsageRange,
): Promise<RememberedDays<Kind>> {
  const { daySums } = session;
  const head = await readFeedHead(session);
  const version = await dropChanged(session, head);
  const days = daysOf(range);
  const found: RememberedDays<Kind>["found"] = [];
  const missing: ProjectDay[] = [];
  for (const project of slugs) {
    const known = daySums.daysOf(source.kind, project);
    for (const day of days) {
      const value = known?.get(day);
      if (!value) missing.push({ project, day });
      else if (value.length > 0) found.push({ project, day, value });
    }
  }
  const read = missing.length > 0 ? await readMissing(source, missing) : null;
  const isCurrent = version !== null && daySums.version === version;
  for (const at of missing) {
    const value = read?.get(at.project)?.get(at.day) ?? source.none;
    if (isCurrent) daySums.set(source.kind, at, value);
    if (value.length > 0) found.push({ ...at, value });
  }
  return { found, version: isCurrent ? version : null, isPending: head.derived < head.id };
}

/**
 * Drops what is remembered of days that changed until now.
 * @returns the version of the others, if what is read next is of it: a replica may be behind another one
 */
export async function dropChanged(session: Session, head: Head): Promise<Readonly<Version> | null> {
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

/** The projects and days of the events from one to another, which all that follow the feed ask for. */
export const changedDays = (session: Session, after: number, last: number): Promise<ProjectDay[]> =>
  session.changedDays.getOrLoad(`${after} ${last}`, async () => {
    const rows = await selectEvents(session)({ after, last, limit: followedMax });
    const days = new Map(
      rows.map(({ project, ts }) => [`${project} ${dayOf(ts)}`, { project, day: dayOf(ts) }]),
    );
    return [...days.values()];
  });

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

type Read<Kind extends DayKind> = Map<string, Map<string, DayValues[Kind]>>;

/** Reads the days from the first of these to the last, of all of their projects. */
async function readMissing<Kind extends DayKind>(
  { pieceDays, read }: DaySource<Kind>,
  wanted: readonly ProjectDay[],
): Promise<Read<Kind>> {
  const slugs = [...new Set(wanted.map(({ project }) => project))];
  const sorted = wanted.map(({ day }) => day).sort();
  const days = daysOf({ from: sorted[0] as string, to: sorted.at(-1) as string });
  const budget = new YieldBudget(1);
  const found: Read<Kind> = new Map();
  for (let at = 0; at < days.length; at += pieceDays) {
    const [from, to] = [days[at] as string, days[Math.min(at + pieceDays, days.length) - 1] as string];
    for (const [{ project, day }, value] of await read(slugs, { from, to })) {
      const ofProject = found.get(project) ?? new Map<string, DayValues[Kind]>();
      found.set(project, ofProject);
      ofProject.set(day, value);
    }
    await budget.spend(1);
  }
  return found;
}

/** Groups rows by project and day. */
export function byProjectAndDay<Row extends ProjectDay>(
  rows: readonly Row[],
): { at: ProjectDay; rows: Row[] }[] {
  const groups = Map.groupBy(rows, ({ project, day }) => `${project} ${day}`);
  return [...groups.values()].map((rows) => ({ at: rows[0] as Row, rows }));
}
