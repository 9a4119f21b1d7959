/** What an optimistic append expects to find, as it was at the last append or is read before this one. */
import { sql } from "drizzle-orm";
import type { Appendable } from "../../../src/feed/rows.ts";
import type { Session } from "../../engine/session.ts";
import { preparedStatement } from "../../query/prepared-statement.ts";
import { elements, pipeline } from "../../query/sql.ts";
import { type Head, readFeedHead } from "../head.ts";
import { type KnownRuns, pairKey, readRunsOf, runKey } from "../runs/known-runs.ts";
import type { Eligible } from "./eligible.ts";
import type { ProjectCache } from "./project-cache.ts";

export interface Expected {
  head: Head;
  known: KnownRuns;
}

/** @returns null if a project does not exist */
export async function readExpected(
  session: Session,
  { events, projects }: Eligible,
): Promise<Expected | null> {
  const cache = session.projects;
  const slugs = [...projects.keys()];
  if (cache.head && slugs.every((slug) => cache.isCurrent(slug)))
    return { head: cache.head, known: await readRunsOf(session, events, cache) };
  // The versions first: whatever changes between the statements is then of another version.
  const [head, versions, known] = await pipeline([
    readFeedHead(session),
    readVersions(session)({ list: JSON.stringify(slugs), limit: slugs.length + 1 }),
    readRunsOf(session, events),
  ]);
  if (versions.length < slugs.length) return null;
  cache.head = head;
  for (const { slug, events_count } of versions) cache.refresh(slug, events_count);
  return { head, known };
}

const readVersions = preparedStatement(({ db, dialect, t: { projects } }) => {
  const { slug, events_count } = projects;
  const list = sql`select value from ${elements(dialect, sql.placeholder("list"))}`;
  const query = db
    .select({ slug, events_count })
    .from(projects)
    .where(dialect.isIn(slug, list))
    .limit(sql.placeholder("limit"));
  return dialect.reader<{ slug: string; events_count: number }>(db, query.prepare());
});

/** Remembers the runs of an append that is stored. */
export function rememberRuns(cache: ProjectCache, { events }: Eligible, { known }: Expected): void {
  for (const event of events)
    if (event.project != null) {
      const key = keyOf(event);
      if (known.uncached.has(key)) cache.set(key, event.project, known.runs.get(key) ?? null);
    }
}

const keyOf = (event: Appendable): string => (event.run_id == null ? pairKey(event) : runKey(event));
