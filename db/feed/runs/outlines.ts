/** Pages of runs of a status, with fewer columns. */
import { sql } from "drizzle-orm";
import type { Micros } from "../../../src/core/lib/time.ts";
import type { Projects } from "../../../src/core/rows.ts";
import type { FeedReads } from "../../../src/feed/port.ts";
import type { RunOutline } from "../../../src/feed/rows.ts";
import { isPipeline } from "../../../src/feed/runs/pipelines.ts";
import type { Values } from "../../dialect/client.ts";
import type { Session } from "../../engine/session.ts";
import { elements, preparedStatement } from "../../query/statements.ts";
import { followFeed } from "../follow-feed.ts";
import type { FeedVersion } from "../project-memory.ts";
import { outlineColumns, type ReadOutline, toOutlines } from "./columns.ts";
import { listBounds } from "./list-bounds.ts";
import { boundedRange, scanMax, scopeOf, selectColumns } from "./pages.ts";

/** One of those for which Postgres has planned the statement. */
const plannedLimit = 500;

/** An upper bound is always given: pages after the first one have one. */
const latest: Micros = Number.MAX_SAFE_INTEGER;

/**
 * The outlines of runs that did not change are remembered. What an outline tells is checked on it, so that
 * the places of most lists are read from an index alone (`bun run bench page-times`).
 */
export async function outlinePage(
  session: Session,
  projects: Projects,
  query: Parameters<FeedReads["runOutlines"]>[1],
): Promise<RunOutline[]> {
  const scope = scopeOf(projects, query);
  if (!scope) return [];
  const version = await followFeed(session, session.outlines);
  const { withoutPipelines, eventAfter = -1, eventBefore = latest, ...others } = scope.query;
  const bounds = { before: latest, ...listBounds(scope.query) };
  const { shape, values } = await boundedRange(session, scope.visible, others, bounds);
  const isWanted = ({ id, last_event_at: at }: RunOutline) =>
    at > eventAfter && at < eventBefore && !(withoutPipelines && isPipeline(id));
  const found: RunOutline[] = [];
  let [before, limit] = [bounds.before, query.limit];
  for (let read = 0; found.length < query.limit && read < scanMax; ) {
    const page = await readOutlines(session, shape, { ...values, before, limit }, version);
    found.push(...page.filter(isWanted));
    if (page.length < limit) break;
    read += limit;
    before = page.at(-1)?.listed_at ?? before;
    limit = Math.min(plannedLimit, scanMax - read);
  }
  return found.slice(0, query.limit);
}

async function readOutlines(
  session: Session,
  shape: string,
  values: Values & { limit: number },
  version: Readonly<FeedVersion> | null,
): Promise<RunOutline[]> {
  const { outlines } = session;
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
