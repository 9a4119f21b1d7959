/** Pages of runs of a status, with fewer columns. */
import { sql } from "drizzle-orm";
import type { Micros } from "../../../src/core/lib/time.ts";
import type { Projects } from "../../../src/core/rows.ts";
import type { FeedReads } from "../../../src/feed/port.ts";
import type { RunOutline } from "../../../src/feed/rows.ts";
import type { Session } from "../../engine/session.ts";
import { elements, preparedStatement } from "../../query/statements.ts";
import { followFeed } from "../follow-feed.ts";
import { outlineColumns, type ReadOutline, toOutlines } from "./columns.ts";
import { boundedRange, scopeOf, selectColumns } from "./pages.ts";

/** One of those for which Postgres has planned the statement. */
const plannedLimit = 500;

/** The outlines of runs that did not change are remembered. */
export async function outlinePage(
  session: Session,
  projects: Projects,
  query: Parameters<FeedReads["runOutlines"]>[1],
): Promise<RunOutline[]> {
  const scope = scopeOf(projects, query);
  if (!scope) return [];
  const { outlines } = session;
  const version = await followFeed(session, outlines);
  const { shape, values } = await boundedRange(session, scope.visible, scope.query);
  const places = await selectPlaces(session, shape)(values);
  const known = new Map(
    places.map(({ listed_at: place }) => [place, version ? outlines.get(place) : undefined]),
  );
  const missing = [...known].flatMap(([place, outline]) => (outline ? [] : [place]));
  const all = { places: JSON.stringify(missing), limit: Math.max(plannedLimit, missing.length) };
  const rows = missing.length > 0 ? await selectAt(session)(all) : [];
  // A run that an append moved in lists meanwhile.
  if (rows.length < missing.length) return toOutlines(session, await selectOutlines(session, shape)(values));
  const isCurrent = version !== null && outlines.version === version;
  for (const outline of await toOutlines(session, rows)) {
    known.set(outline.listed_at, outline);
    if (isCurrent) outlines.set(outline.listed_at, outline.project, outline);
  }
  return [...known.values()].filter((outline) => outline !== undefined);
}

const selectOutlines = selectColumns<ReadOutline>(outlineColumns);
const selectPlaces = selectColumns<{ listed_at: Micros }>(
  ({
    t: {
      runs: { listed_at },
    },
  }) => ({ listed_at }),
);

/** The outlines at some places in lists. */
const selectAt = preparedStatement((session) => {
  const { db, dialect, t } = session;
  const places = sql`select cast(value as bigint) from ${elements(dialect, sql.placeholder("places"))}`;
  const query = db
    .select(outlineColumns(session))
    .from(t.runs)
    .where(dialect.isIn(t.runs.listed_at, places))
    .limit(sql.placeholder("limit"));
  return dialect.reader<ReadOutline>(db, query.prepare(), t.runs);
});
