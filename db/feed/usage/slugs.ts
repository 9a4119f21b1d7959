import type { Projects } from "../../../src/core/rows.ts";
import type { Session } from "../../engine/session.ts";

/** The slugs that a caller may read, listed first so that each of them is a range of an index. */
export async function visibleSlugs(
  { db, t: { projects } }: Session,
  allowed: Projects,
  only?: string,
): Promise<string[]> {
  const all = allowed ?? (await db.select({ slug: projects.slug }).from(projects)).map(({ slug }) => slug);
  return all.filter((slug) => only === undefined || slug === only);
}
