/** Reads and marks of the inbox. */

import { and, desc, eq, inArray, isNull, sql } from "drizzle-orm";
import type { OverviewReads, OverviewWrites } from "../../../src/overview/port.ts";
import type { Session } from "../../engine/session.ts";
import { rowColumns } from "../../library/assets/asset-pages.ts";
import { elements, preparedShapes, preparedStatement } from "../../query/statements.ts";

/** Rejected assets of an author that are read: a bounded range of its index, whatever their project. */
const rejectedMax = 200;

export const inboxReads = (session: Session) =>
  ({
    async pausedWebhooks(of) {
      const owner = of?.owner ?? "";
      const select = selectPaused(session, !of ? "any owner" : of.owner === null ? "no owner" : "an owner");
      const rows = await select.execute({ owner });
      return rows.flatMap(({ paused_at: at, ...row }) => (at === null ? [] : [{ ...row, paused_at: at }]));
    },
    async inboxMarks(reader, items) {
      if (items.length === 0) return [];
      return selectMarks(session).execute({ reader, items: JSON.stringify(items) });
    },
    async rejectedAssets(authors, projects, limit) {
      const newest = await Promise.all(authors.map((author) => selectRejected(session).execute({ author })));
      return newest
        .flat()
        .filter(({ project }) => projects === null || projects.includes(project))
        .sort((a, b) => (b.reviewed_at ?? 0) - (a.reviewed_at ?? 0))
        .slice(0, limit);
    },
  }) satisfies Partial<OverviewReads>;

const selectPaused = preparedShapes(
  ({ db, t: { webhooks } }, whose: "any owner" | "no owner" | "an owner") => {
    const { id, name, owner, status, paused_at, paused_reason } = webhooks;
    const isTheirs = {
      "any owner": undefined,
      "no owner": isNull(owner),
      "an owner": eq(owner, sql.placeholder("owner")),
    };
    return db
      .select({ id, name, paused_at, paused_reason })
      .from(webhooks)
      .where(and(eq(status, "paused"), isTheirs[whose]))
      .orderBy(desc(id))
      .prepare();
  },
);

const selectMarks = preparedStatement(({ db, dialect, t: { inbox_marks } }) => {
  const { reader, item, at, until } = inbox_marks;
  const items = sql`select value from ${elements(dialect, sql.placeholder("items"))}`;
  return db
    .select({ item, at, until })
    .from(inbox_marks)
    .where(and(eq(reader, sql.placeholder("reader")), dialect.isIn(item, items)))
    .prepare();
});

const selectRejected = preparedStatement((session) => {
  const { assets } = session.t;
  return session.db
    .select(rowColumns(session))
    .from(assets)
    .where(and(eq(assets.created_by, sql.placeholder("author")), sql`status = 'rejected'`))
    .orderBy(desc(assets.reviewed_at))
    .limit(rejectedMax)
    .prepare();
});

export const inboxWrites = ({ db, t }: Session) =>
  ({
    async markInbox(reader, marks) {
      const { inbox_marks } = t;
      if (marks.length === 0) return;
      await db
        .insert(inbox_marks)
        .values(marks.map((mark) => ({ reader, ...mark })))
        .onConflictDoUpdate({
          target: [inbox_marks.reader, inbox_marks.item],
          set: { at: sql`excluded.at`, until: sql`excluded.until` },
        });
    },
    async unmarkInbox(reader, items) {
      const { inbox_marks } = t;
      await db
        .delete(inbox_marks)
        .where(and(eq(inbox_marks.reader, reader), inArray(inbox_marks.item, [...items])));
    },
  }) satisfies Partial<OverviewWrites>;
