/** What was taken back. */
import { and, asc, desc, eq, inArray, isNull, sql } from "drizzle-orm";
import type { LibraryReads, LibraryWrites } from "../../src/library/port.ts";
import type { Session } from "../engine/session.ts";
import { elements, preparedStatement, tuple } from "../query/statements.ts";

const selectSubjects = preparedStatement(({ db, dialect, t: { removals } }) => {
  const subjects = sql`select value from ${elements(dialect, sql.placeholder("subjects"))}`;
  return db.select().from(removals).where(dialect.isIn(removals.subject, subjects)).prepare();
});

export const removalReads = (session: Session) =>
  ({
    async removals(subjects) {
      if (subjects.length === 0) return [];
      return selectSubjects(session).execute({ subjects: JSON.stringify(subjects) });
    },
    listedRemovals(projects, { kind: only, limit, after }) {
      const { db, t } = session;
      const { removals } = t;
      const { removed_at, kind, subject, project, detail } = removals;
      const key = [removed_at, kind, subject];
      return db
        .select()
        .from(removals)
        .where(
          and(
            projects === null ? undefined : inArray(project, [...projects]),
            only && eq(kind, only),
            // The files of a removed project go with it.
            sql`(${detail} is not null or exists (select 1 from assets where id = ${subject}))`,
            after && sql`${tuple(key)} < ${tuple([after.removed_at, after.kind, after.subject])}`,
          ),
        )
        .orderBy(...key.map((column) => desc(column)))
        .limit(limit);
    },
    unfinishedRemovals(limit) {
      const { removals } = session.t;
      return session.db
        .select()
        .from(removals)
        .where(isNull(removals.finished_at))
        .orderBy(asc(removals.removed_at))
        .limit(limit);
    },
  }) satisfies Partial<LibraryReads>;

export const removalWrites = ({ db, t: { removals } }: Session) =>
  ({
    async addRemoval(removal) {
      await db.insert(removals).values(removal).onConflictDoNothing();
    },
    async finishRemoval({ kind, subject }, finished_at) {
      await db
        .update(removals)
        .set({ finished_at })
        .where(and(eq(removals.kind, kind), eq(removals.subject, subject)));
    },
    async dropRemoval(kind, subject) {
      await db.delete(removals).where(and(eq(removals.kind, kind), eq(removals.subject, subject)));
    },
  }) satisfies Partial<LibraryWrites>;
