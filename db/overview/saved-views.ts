/** The filters of lists that people gave names. */
import { and, asc, eq, sql } from "drizzle-orm";
import type { OverviewReads, OverviewWrites } from "../../src/overview/port.ts";
import type { SavedView } from "../../src/overview/views/schema.ts";
import type { Session } from "../engine/session.ts";
import { preparedStatement } from "../query/statements.ts";

/** More than anyone has on a page. */
const viewsMax = 100;

export const savedViewReads = (session: Session) =>
  ({
    savedViews: (reader, path) => selectViews(session)({ reader, path, limit: viewsMax }),
  }) satisfies Partial<OverviewReads>;

/** Every page of a list reads them. */
const selectViews = preparedStatement(({ db, dialect, t: { saved_views } }) => {
  const { reader, path, name, query } = saved_views;
  const selected = db
    .select({ path, name, query })
    .from(saved_views)
    .where(and(eq(reader, sql.placeholder("reader")), eq(path, sql.placeholder("path"))))
    .orderBy(asc(name))
    .limit(sql.placeholder("limit"));
  return dialect.reader<SavedView>(db, selected.prepare());
});

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
