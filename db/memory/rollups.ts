/** Usage that `svc consolidate` has summarized into memory: copies of `usage` rows. */

import { and, asc, type Column, desc, eq, lt, sql } from "drizzle-orm";
import type { MemoryReads, MemoryWrites } from "../../src/memory/port.ts";
import type { Session } from "../engine/session.ts";
import { catchUp } from "../feed/derived-rows.ts";
import { allRows, preparedStatement } from "../query/statements.ts";

const selectRollups = preparedStatement(({ db, t: { rollups } }) =>
  db
    .select()
    .from(rollups)
    .where(eq(rollups.project, sql.placeholder("project")))
    .orderBy(desc(rollups.day), asc(rollups.lane), asc(rollups.model))
    .limit(sql.placeholder("limit"))
    .prepare(),
);

export const rollupReads = (session: Session) => {
  const { rollups } = session.t;
  return {
    rollups: async (project, limit) => selectRollups(session).execute({ project, limit }),
    digests: (project, { before, limit }) =>
      session.db
        .select({
          day: rollups.day,
          runs: total(rollups.runs),
          failures: total(rollups.failures),
          merges: total(rollups.merges),
          tokens_in: total(rollups.tokens_in),
          tokens_out: total(rollups.tokens_out),
          cache_read: total(rollups.cache_read),
          cache_write: total(rollups.cache_write),
          cost_equiv: total(rollups.cost_equiv),
        })
        .from(rollups)
        .where(and(eq(rollups.project, project), before === undefined ? undefined : lt(rollups.day, before)))
        .groupBy(rollups.day)
        .orderBy(desc(rollups.day))
        .limit(limit),
  } satisfies Partial<MemoryReads>;
};

const total = (column: Column) => sql<number>`sum(${column})`.mapWith(Number);

const sums = [
  "runs",
  "failures",
  "merges",
  "tokens_in",
  "tokens_out",
  "cache_read",
  "cache_write",
  "cost_equiv",
];
const columns = ["project", "day", "lane", "model", ...sums].join(", ");
const isEqual = ["project", "day", "lane", "model", ...sums]
  .map((column) => `folded.${column} = usage.${column}`)
  .join(" and ");

export const rollupWrites = (session: Session) =>
  ({
    async summarizeUsage(project, limit) {
      await catchUp(session);
      const summarized = await allRows(
        session,
        sql`insert into rollups (${sql.raw(columns)}) select ${sql.raw(columns)} from usage
        where project = ${project} and not exists (select 1 from rollups as folded where ${sql.raw(isEqual)})
        order by day, lane, model limit ${limit}
        on conflict (project, day, lane, model) do update
        set ${sql.raw(sums.map((column) => `${column} = excluded.${column}`).join(", "))}
        returning day`,
      );
      return summarized.length;
    },
    async setDigestedCount(project, events) {
      const { db, t } = session;
      await db.update(t.projects).set({ digested_count: events }).where(eq(t.projects.slug, project));
    },
  }) satisfies Partial<MemoryWrites>;
