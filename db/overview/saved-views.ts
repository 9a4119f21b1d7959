/** The filters of lists that people gave names. */
import { and, asc, eq } from "drizzle-orm";
import type { OverviewReads, OverviewWrites } from "../../src/overview/port.ts";
import type { Session } from "../engine/session.ts";

/** More than anyone has on a page. */
const viewsMax = 100;

export const savedViewReads = ({ db, t: { saved_views } }: Session) =>
  ({
    savedViews: (reader, path) =>
      db
        .select({ path: saved_views.path, name: saved_views.name, query: saved_views.query })
        .from(saved_views)
        .where(and(eq(saved_views.reader, reader), eq(saved_views.path, path)))
        .orderBy(asc(saved_views.name))
        .limit(viewsMax),
  }) satisfies Partial<OverviewReads>;

export const savedViewWrites = ({ db, t: { saved_views } }: Session) =>
  ({
    async saveView(reader, view) {
      const { reader: of, path, name } = saved_views;
      await db
        .insert(saved_views)
        .values({ reader, ...view })
        .onConflictDoUpdate({ target: [of, path, name], set: { query: view.query } });
    },
    async removeView(reader, { path, name }) {
      await db
        .delete(saved_views)
        .where(and(eq(saved_views.reader, reader), eq(saved_views.path, path), eq(saved_views.name, name)));
    },
  }) satisfies Partial<OverviewWrites>;
