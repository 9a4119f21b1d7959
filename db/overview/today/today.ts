/** Reads of Today, and up to where each person has read what happened. */

import { eq, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { OverviewReads, OverviewWrites } from "../../../src/overview/port.ts";
import type { RunCost } from "../../../src/overview/rows.ts";
import type { Session } from "../../engine/session.ts";
import { markIncomplete } from "../../feed/pending.ts";
import { readDaySums } from "../../feed/usage/day-sums.ts";
import { preparedStatement, rowsReader } from "../../query/prepared-statement.ts";
import { elements, literalCount } from "../../query/sql.ts";

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
    recentRunCosts: (projects) =>
      projects.length === 0 ? Promise.resolve([]) : selectCosts(session)(projects),
  }) satisfies Partial<OverviewReads>;

/** In one statement on Postgres, where each one costs as much as its rows. SQLite has no `lateral`. */
const selectCosts = preparedStatement((session) =>
  session.dialect.name === "postgres" ? costsOfAll(session) : costsOfEach(session),
);

type SelectCosts = (projects: readonly string[]) => Promise<RunCost[]>;

const isCounted = sql`status = 'finished' and cost_equiv > 0`;

function costsOfAll(session: Session): SelectCosts {
  const recent = recentRuns(session, sql`value`);
  const read = rowsReader<RunCost>(
    session,
    sql`select recent.* from ${elements(session.dialect, sql.placeholder("projects"))}
      cross join lateral ${recent} as recent where ${isCounted}`,
    costColumns,
  );
  return (projects) => read({ projects: JSON.stringify(projects) });
}

function costsOfEach(session: Session): SelectCosts {
  const recent = recentRuns(session, sql.placeholder("project"));
  const read = rowsReader<RunCost>(
    session,
    sql`select * from ${recent} as recent where ${isCounted}`,
    costColumns,
  );
  return async (projects) => (await Promise.all(projects.map((project) => read({ project })))).flat();
}

const costColumns = ["project", "lane", "cost_equiv"] as const;

/** The newest runs of a project. */
function recentRuns({ dialect }: Session, project: SQLWrapper): SQL {
  const key = { column: sql`project`, value: project };
  const range = { key, ts: sql`listed_at`, before: undefined, after: undefined };
  const { where, order } = dialect.indexRange(range, "newest first");
  return sql`(select project, lane, status, cost_equiv from runs
    where ${where} order by ${order} limit ${literalCount(recentMax)})`;
}

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
