/** Reads of usage: a range of days of each project, in the primary key of a table of daily sums. */
import { and, type Column, getTableColumns, gte, lte, type SQL, sql, type Table } from "drizzle-orm";
import { sumMax } from "../../src/lib/sums.ts";
import type { GroupUsage, SummedGroup, UsageReads } from "../../src/usage/port.ts";
import { usageFieldNames } from "../../src/usage/schema.ts";
import type { Session } from "../engine/session.ts";
import { hasPending, isHead } from "../feed/head.ts";
import { joinedRows } from "../feed/pending.ts";
import { elements } from "../query/sql.ts";
import { rejectedVersions } from "./rejected.ts";
import { expensiveRuns } from "./runs.ts";
import { visibleSlugs } from "./slugs.ts";
import type { UsageTable } from "./sums.ts";

const groupColumns = ["project", "model", "lane", "actor", "issue", "pr"] as const;
type GroupColumn = (typeof groupColumns)[number];

/** The table that has the sums of a group, and the columns that name it. */
const groups: Record<SummedGroup, { table: UsageTable; columns: readonly GroupColumn[] }> = {
  project: { table: "usage", columns: ["project"] },
  model: { table: "usage", columns: ["model"] },
  lane: { table: "usage", columns: ["lane"] },
  actor: { table: "task_usage", columns: ["actor"] },
  task: { table: "task_usage", columns: ["project", "issue", "pr"] },
};

export const usageReads = (session: Session): UsageReads => ({
  async groupUsage(projects, { by, from, to, project, perDay }) {
    const { db, t, dialect } = session;
    const { feed_head } = t;
    const { table: name, columns } = groups[by];
    const table: Table = t[name];
    const all: Record<string, Column> = getTableColumns(table);
    const column = (name: string) => all[name] as Column;
    const keys = [...(perDay ? ["day"] : []), ...columns];
    const none = sql`null`;
    const selected = Object.fromEntries([
      ...["day", ...groupColumns].map((key) => [key, keys.includes(key) ? column(key) : none.as(key)]),
      ...usageFieldNames.map((field) => [field, sumOf(session, column(field), field)]),
      ["pending", hasPending(session).as("pending")],
    ]);
    const slugs = await visibleSlugs(session, projects, project);
    const rows = await db
      .select(selected)
      .from(feed_head)
      .leftJoin(
        table,
        and(
          dialect.isIn(column("project"), sql`select value from ${elements(dialect, slugs)}`),
          gte(column("day"), from),
          lte(column("day"), to),
        ),
      )
      .where(isHead(session))
      .groupBy(...keys.map((key) => sql`${column(key)}`), sql`pending`);
    return joinedRows<GroupUsage>(rows as { pending: boolean }[], columns[0] as GroupColumn);
  },
  expensiveRuns: (projects, query) => expensiveRuns(session, projects, query),
  rejectedVersions: (projects, query) => rejectedVersions(session, projects, query),
});

const sumOf = ({ dialect }: Session, column: Column, field: string): SQL<number> =>
  (field === "cost_equiv" ? sql`sum(${column})` : dialect.cappedSum(sql`${column}`, sumMax)).mapWith(
    Number,
  ) as SQL<number>;
