import { gte, sql } from "drizzle-orm";
import { toMicros } from "../../../src/core/lib/time.ts";
import type { Projects } from "../../../src/core/rows.ts";
import type { ProjectRange } from "../../../src/feed/rows.ts";
import type { Session } from "../../engine/session.ts";
import { noLimit, preparedStatement } from "../../query/statements.ts";

/** The slugs that a caller may read, listed first so that each of them is a range of an index. */
export async function visibleSlugs(session: Session, allowed: Projects, only?: string): Promise<string[]> {
  const all = allowed ?? (await selectSlugs(session).execute()).map(({ slug }) => slug);
  return all.filter((slug) => only === undefined || slug === only);
}

/**
 * The same for what events began or were summed of in a range. One whose newest event is older has none of
 * it: in a deployment with many projects, most rest.
 */
export async function activeSlugs(
  session: Session,
  allowed: Projects,
  { from, project }: ProjectRange,
): Promise<string[]> {
  if (allowed ?? project) return visibleSlugs(session, allowed, project);
  const rows = await selectActive(session)({ since: toMicros(`${from}T00:00:00Z`), limit: noLimit });
  return rows.map(({ slug }) => slug);
}

const selectSlugs = preparedStatement(({ db, t: { projects } }) =>
  db.select({ slug: projects.slug }).from(projects).prepare(),
);

const selectActive = preparedStatement(({ db, dialect, t: { projects } }) => {
  const query = db
    .select({ slug: projects.slug })
    .from(projects)
    .where(gte(projects.last_activity, sql.placeholder("since")))
    .limit(sql.placeholder("limit"));
  return dialect.reader<{ slug: string }>(db, query.prepare());
});
