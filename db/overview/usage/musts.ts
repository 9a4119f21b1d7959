/** How many versions the annotations of weight `must` took until a person confirmed them. */
import { sql } from "drizzle-orm";
import { dayMicros, toMicros } from "../../../src/core/lib/time.ts";
import type { Projects } from "../../../src/core/rows.ts";
import type { UsageRange } from "../../../src/feed/rows.ts";
import type { Session } from "../../engine/session.ts";
import { visibleSlugs } from "../../feed/usage/slugs.ts";
import { allRows, elements } from "../../query/sql.ts";

/** Literals: a partial index serves only conditions that are known when the query is planned. */
const isConfirmedMust = sql.raw("n.state = 'honoured' and n.weight = 'must' and n.parent_id is null");

/** Confirmed musts of a range of days, counted by the number of versions that each took. */
export async function confirmedMusts(
  session: Session,
  projects: Projects,
  { from, to, project }: UsageRange & { project?: string },
): Promise<{ attempts: number; count: number }[]> {
  const { dialect } = session;
  const slugs = await visibleSlugs(session, projects, project);
  const isVisible = dialect.isIn(sql`n.project`, sql`select value from ${elements(dialect, slugs)}`);
  const rows = await allRows<Record<"attempts" | "count", number | string>>(
    session,
    sql`select n.honoured_version - n.version as attempts, count(*) as count from annotations as n
      where ${isConfirmedMust} and ${isVisible} and n.state_at >= ${toMicros(`${from}T00:00:00Z`)}
        and n.state_at < ${toMicros(`${to}T00:00:00Z`) + dayMicros}
      group by n.honoured_version - n.version`,
  );
  return rows.map(({ attempts, count }) => ({ attempts: Number(attempts), count: Number(count) }));
}
