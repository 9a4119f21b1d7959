/** Usage that `svc consolidate` has summarized into memory: copies of `usage` rows. */
import { asc, desc, eq, sql } from "drizzle-orm";
import type { Reads, Writes } from "../../src/data.ts";
import type { Session } from "../engine/session.ts";
import { allRows } from "../query/sql.ts";

export const rollupReads = ({ db, t: { rollups } }: Session): Pick<Reads, "rollups"> => ({
  rollups: (project, limit) =>
    db
      .select()
      .from(rollups)
      .where(eq(rollups.project, project))
      .orderBy(desc(rollups.day), asc(rollups.lane), asc(rollups.model))
      .limit(limit),
});

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

export const rollupWrites = (session: Session): Pick<Writes, "summarizeUsage" | "setDigestedCount"> => ({
  async summarizeUsage(project, limit) {
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
});
