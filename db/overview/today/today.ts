/** Reads of Today, and up to where each person has read what happened. */

import { eq, sql } from "drizzle-orm";
import type { OverviewReads, OverviewWrites } from "../../../src/overview/port.ts";
import type { DailyUsageRow } from "../../../src/overview/rows.ts";
import type { Session } from "../../engine/session.ts";
import { markIncomplete } from "../../feed/pending.ts";
import { allRows, elements, literalCount } from "../../query/sql.ts";

export const todayReads = (session: Session) =>
  ({
    ...readMarkerReads(session),
    ...dailyUsageReads(session),
    ...usualCostReads(session),
  }) satisfies Partial<OverviewReads>;

/** As a number: Postgres sums integers to a `bigint`, which the driver returns as text. */
const sumOf = (column: "runs" | "failures" | "merges") =>
  sql.raw(`cast(sum(${column}) as integer) as ${column}`);

/** What ran and was spent per day, from the totals of usage. */
const dailyUsageReads = (session: Session) =>
  ({
    async dailyUsage(projects, { from, to }) {
      const { dialect } = session;
      const slugs = sql`select value from ${elements(dialect, projects)}`;
      // A row without a project tells whether events are pending: a column of all rows would cost a tenth of
      // the read.
      const rows = await allRows<DailyUsageRow>(
        session,
        sql`select project, day, ${sumOf("runs")}, ${sumOf("failures")}, ${sumOf("merges")},
            sum(cost_equiv) as cost_equiv from usage
          where ${dialect.isIn(sql`project`, slugs)} and day between ${from} and ${to} group by project, day
        union all select '', '', case when derived < id then 1 else 0 end, 0, 0, 0 from feed_head
          where one = 1`,
      );
      const at = rows.findLastIndex(({ project }) => project === "");
      const [head] = rows.splice(at, 1);
      return markIncomplete([{ pending: head?.runs ?? 0 }], rows);
    },
  }) satisfies Partial<OverviewReads>;

/** The last runs of a project that are read: a bounded range of its index, whatever their status and lane. */
const recentMax = 100;

const usualCostReads = (session: Session) =>
  ({
    recentRunCosts: (project) =>
      allRows(
        session,
        sql`select lane, cost_equiv from (select lane, status, cost_equiv from runs where project = ${project}
        order by listed_at desc limit ${literalCount(recentMax)}) as recent
        where status = 'finished' and cost_equiv > 0`,
      ),
  }) satisfies Partial<OverviewReads>;

const readMarkerReads = ({ db, t: { read_markers } }: Session) =>
  ({
    async readMarker(reader) {
      const [row] = await db
        .select({ ts: read_markers.ts })
        .from(read_markers)
        .where(eq(read_markers.reader, reader));
      return row?.ts ?? null;
    },
  }) satisfies Partial<OverviewReads>;

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
