/** Reads of Today, and up to where each person has read what happened. */

import { eq, sql } from "drizzle-orm";
import type { OverviewReads, OverviewWrites } from "../../../src/overview/port.ts";
import type { RunCost } from "../../../src/overview/rows.ts";
import type { Session } from "../../engine/session.ts";
import { markIncomplete } from "../../feed/pending.ts";
import { readDaySums } from "../../feed/usage/day-sums.ts";
import { elements, literalCount, noLimit, preparedStatement } from "../../query/statements.ts";

export const todayReads = (session: Session) =>
  ({
    ...readMarkerReads(session),
    ...dailyUsageReads(session),
    ...usualCostReads(session),
  }) satisfies Partial<OverviewReads>;

/** What ran and was spent per day, from sums that the process remembers. */
const dailyUsageReads = (session: Session) =>
  ({
    async dailyUsage(projects, range) {
      const { found, isPending } = await readDaySums(session, "project", projects, range);
      const rows = found.flatMap(({ day, value: sums }) =>
        sums.map(({ name, usage: { runs, failures, merges, cost_equiv } }) => ({
          project: name,
          day,
          runs,
          failures,
          merges,
          cost_equiv,
        })),
      );
      return markIncomplete([{ pending: isPending }], rows);
    },
  }) satisfies Partial<OverviewReads>;

/** The last runs of a project that are read: a bounded range of its index, whatever their status and lane. */
const recentMax = 100;

const usualCostReads = (session: Session) =>
  ({
    async recentRunCosts(projects) {
      if (projects.length === 0) return [];
      const recent = await selectRecent(session)({ projects: JSON.stringify(projects), limit: noLimit });
      return recent.filter(({ status, cost_equiv }) => status === "finished" && cost_equiv > 0);
    },
  }) satisfies Partial<OverviewReads>;

/** The newest runs of each project: on Postgres, a statement for each costs as much as its rows. */
const selectRecent = preparedStatement((session) => {
  const { db, dialect, t } = session;
  const key = { column: sql`one.project`, value: sql`lists.name` };
  const range = { key, ts: sql`one.listed_at`, before: undefined, after: undefined };
  const { where, order } = dialect.indexRange(range, "newest first");
  const places = dialect.forEachRow(
    sql`(select value as name from ${elements(dialect, sql.placeholder("projects"))}) as lists`,
    ["listed_at"],
    sql`select one.listed_at from runs as one where ${where}
      order by ${order} limit ${literalCount(recentMax)}`,
  );
  const { project, lane, status, cost_equiv, listed_at } = t.runs;
  const query = db
    .select({ project, lane, status, cost_equiv })
    .from(t.runs)
    .where(dialect.isIn(listed_at, places))
    .limit(sql.placeholder("limit"));
  return dialect.reader<RunCost & { status: string }>(db, query.prepare());
});

const readMarkerReads = (session: Session) =>
  ({
    async readMarker(reader) {
      const [row] = await selectMarker(session).execute({ reader });
      return row?.ts ?? null;
    },
  }) satisfies Partial<OverviewReads>;

const selectMarker = preparedStatement(({ db, t: { read_markers } }) =>
  db
    .select({ ts: read_markers.ts })
    .from(read_markers)
    .where(eq(read_markers.reader, sql.placeholder("reader")))
    .prepare(),
);

export const readMarkerWrites = ({ db, t }: Session) =>
  ({
    async moveReadMarker(reader, ts) {
      const { read_markers } = t;
      await db
        .insert(read_markers)
        .values({ reader, ts })
        // Another tab may have marked more as read.
        .onConflictDoUpdate({
          target: read_markers.reader,
          set: { ts },
          setWhere: sql`${read_markers.ts} < ${ts}`,
        });
    },
  }) satisfies Partial<OverviewWrites>;
