/** Reads and marks of the inbox. */

import { and, desc, eq, inArray, isNull, sql } from "drizzle-orm";
import type { OverviewReads, OverviewWrites } from "../../../src/overview/port.ts";
import type { Session } from "../../engine/session.ts";
import { rowColumns } from "../../library/assets/asset-pages.ts";
import { elements } from "../../query/sql.ts";

/** Rejected assets of an author that are read: a bounded range of its index, whatever their project. */
const rejectedMax = 200;

export const inboxReads = (session: Session) =>
  ({
    async pausedWebhooks(of) {
      const { id, name, owner, status, paused_at, paused_reason } = session.t.webhooks;
      const rows = await session.db
        .select({ id, name, paused_at, paused_reason })
        .from(session.t.webhooks)
        .where(and(eq(status, "paused"), of && (of.owner === null ? isNull(owner) : eq(owner, of.owner))))
        .orderBy(desc(id));
      return rows.flatMap(({ paused_at: at, ...row }) => (at === null ? [] : [{ ...row, paused_at: at }]));
    },
    async inboxMarks(reader, items) {
      const { inbox_marks } = session.t;
      const { item, at, until } = inbox_marks;
      if (items.length === 0) return [];
      return session.db
        .select({ item, at, until })
        .from(inbox_marks)
        .where(
          and(
            eq(inbox_marks.reader, reader),
            session.dialect.isIn(item, sql`select value from ${elements(session.dialect, items)}`),
          ),
        );
    },
    async rejectedAssets(authors, projects, limit) {
      const { assets } = session.t;
      const newest = await Promise.all(
        authors.map((author) =>
          session.db
            .select(rowColumns(session))
            .from(assets)
            .where(and(eq(assets.created_by, author), sql`status = 'rejected'`))
            .orderBy(desc(assets.reviewed_at))
            .limit(rejectedMax),
        ),
      );
      return newest
        .flat()
        .filter(({ project }) => projects === null || projects.includes(project))
        .sort((a, b) => (b.reviewed_at ?? 0) - (a.reviewed_at ?? 0))
        .slice(0, limit);
    },
  }) satisfies Partial<OverviewReads>;

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
