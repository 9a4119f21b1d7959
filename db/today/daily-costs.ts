/** What was spent per day, from the totals of usage. */
import { sql } from "drizzle-orm";
import type { TodayReads } from "../../src/today/port.ts";
import type { Session } from "../engine/session.ts";
import { selectPending } from "../feed/head.ts";
import { unmarked } from "../feed/pending.ts";
import { preparedStatement } from "../query/prepared-statement.ts";
import { elements } from "../query/sql.ts";

// One sum for each project and day, so that each reads one range of the primary key.
const selectCosts = preparedStatement((session) => {
  const listOf = (name: string) => elements(session.dialect, sql.placeholder(name));
  const cost = sql`coalesce((select sum(cost_equiv) from usage
    where usage.project = slug and usage.day = value), 0)`;
  return session.db
    .select({
      project: sql<string>`slug`.as("project"),
      day: sql<string>`value`.as("day"),
      cost_equiv: cost.mapWith(Number).as("cost_equiv"),
      pending: selectPending(session).as("pending"),
    })
    .from(sql`(select value as slug from ${listOf("projects")}) as named cross join ${listOf("days")}`)
    .prepare();
});

export const dailyCostReads = (session: Session): Pick<TodayReads, "dailyCosts"> => ({
  async dailyCosts(projects, days) {
    const lists = { projects: JSON.stringify(projects), days: JSON.stringify(days) };
    return unmarked(await selectCosts(session).execute(lists));
  },
});
