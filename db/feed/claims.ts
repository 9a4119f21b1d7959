/** Rows of claims. A project has some hundreds at most, so they are read together. */
import { and, desc, eq, getTableColumns, inArray, sql } from "drizzle-orm";
import type { FeedReads, FeedWrites } from "../../src/feed/port.ts";
import type { Session } from "../engine/session.ts";
import { preparedStatement } from "../query/statements.ts";

export const claimReads = (session: Session) =>
  ({
    claims: async (project) => selectClaims(session).execute({ project }),
  }) satisfies Partial<FeedReads>;

const selectClaims = preparedStatement(({ db, t: { claims, runs } }) =>
  db
    .select({
      ...getTableColumns(claims),
      run_event_at: runs.last_event_at,
      run_ended_at: runs.ended_at,
    })
    .from(claims)
    .leftJoin(runs, and(eq(runs.id, claims.run_id), eq(runs.project, claims.project)))
    .where(eq(claims.project, sql.placeholder("project")))
    .orderBy(desc(claims.claimed_at), claims.subject)
    .prepare(),
);

export const claimWrites = ({ db, t: { claims } }: Session) =>
  ({
    async saveClaim({ run_event_at: _, run_ended_at: __, ...row }) {
      const { project: ___, subject: ____, ...set } = row;
      await db
        .insert(claims)
        .values(row)
        .onConflictDoUpdate({ target: [claims.project, claims.subject], set });
    },
    async removeClaims(project, subjects) {
      await db.delete(claims).where(and(eq(claims.project, project), inArray(claims.subject, [...subjects])));
    },
    async removeClaimsOf(tokens, holder) {
      const isOf = sql`(${inArray(claims.token, [...tokens])} or ${claims.holder} = ${holder})`;
      await db.delete(claims).where(isOf);
    },
    async trimClaims(before) {
      const isOver = sql`${claims.renewed_at} + ${claims.lease} < ${before} and not exists (
        select 1 from runs as r where r.id = ${claims.run_id} and r.project = ${claims.project}
          and r.ended_at is null and r.last_event_at + ${claims.lease} >= ${before})`;
      return (await db.delete(claims).where(isOver).returning({ subject: claims.subject })).length;
    },
  }) satisfies Partial<FeedWrites>;
