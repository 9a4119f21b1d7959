/** Reads of usage: a range of days of each project, in the primary key of a table of daily sums. */

import { and, type Column, getTableColumns, gte, lte, type SQL, sql, type Table } from "drizzle-orm";
import type { FeedReads } from "../../../src/feed/port.ts";
import type { GroupUsage, SummedGroup } from "../../../src/feed/rows.ts";
import { usageFieldNames } from "../../../src/feed/usage/schema.ts";
import { sumMax } from "../../../src/feed/usage/sums.ts";
import type { Session } from "../../engine/session.ts";
import { preparedStatement } from "../../query/prepared-statement.ts";
import { elements } from "../../query/sql.ts";
import { isHead, selectPending } from "../head.ts";
import { joinedRows, type Marked } from "../pending.ts";
import { readIssuesOf } from "../tasks/pull-request-issues.ts";
import { expensiveRuns } from "./runs.ts";
import { visibleSlugs } from "./slugs.ts";
import type { UsageTable } from "./sums.ts";

const groupColumns = ["project", "model", "lane", "actor", "issue", "pr", "person", "team"] as const;
type GroupColumn = (typeof groupColumns)[number];

/** The table that has the sums of a group, and the columns that name it. */
const groups: Record<SummedGroup, { table: UsageTable; columns: readonly GroupColumn[] }> = {
  project: { table: "usage", columns: ["project"] },
  model: { table: "usage", columns: ["model"] },
  lane: { table: "usage", columns: ["lane"] },
  actor: { table: "task_usage", columns: ["actor"] },
  task: { table: "task_usage", columns: ["project", "issue", "pr"] },
  person: { table: "person_usage", columns: ["person"] },
  team: { table: "person_usage", columns: ["team"] },
};

export const usageReads = (session: Session) =>
  ({
    async groupUsage(projects, { by, from, to, project, perDay }) {
      const slugs = JSON.stringify(await visibleSlugs(session, projects, project));
      const select = selectGroups(session)[by][perDay ? "perDay" : "inAll"];
      // safe because: these are its columns
      const rows = (await select.execute({ slugs, from, to })) as (GroupUsage & Marked)[];
      const found = by === "task" ? await withIssues(session, rows) : rows;
      return joinedRows<GroupUsage>(found, groups[by].columns[0] as GroupColumn);
    },
    expensiveRuns: (projects, query) => expensiveRuns(session, projects, query),
  }) satisfies Partial<FeedReads>;

/** Sums name what their events name. The issue of a pull request may be told later, so it is joined here. */
async function withIssues<Row extends GroupUsage>(session: Session, rows: Row[]): Promise<Row[]> {
  const pulls = rows.flatMap(({ project, pr }) => (project !== null && pr ? [{ project, pr }] : []));
  const issueOf = await readIssuesOf(session, pulls);
  return rows.map((row) => {
    const { project, pr } = row;
    const issue = project !== null && pr ? issueOf({ project, pr }) : null;
    return issue === null ? row : { ...row, issue, pr: 0 };
  });
}

const selectGroups = preparedStatement((session) => {
  const select = (by: SummedGroup) => ({
    perDay: selectGroup(session, by, ["day"]),
    inAll: selectGroup(session, by, []),
  });
  // safe because: these are all groups
  return Object.fromEntries(Object.keys(groups).map((by) => [by, select(by as SummedGroup)])) as Record<
    SummedGroup,
    ReturnType<typeof select>
  >;
});

function selectGroup(session: Session, by: SummedGroup, day: readonly "day"[]) {
  const { db, t, dialect } = session;
  const { table: name, columns } = groups[by];
  const table: Table = t[name];
  const all: Record<string, Column> = getTableColumns(table);
  const column = (name: string) => all[name] as Column;
  const keys = [...day, ...columns];
  const none = sql`null`;
  const selected = Object.fromEntries([
    ...["day", ...groupColumns].map((key) => [
      key,
      (keys as string[]).includes(key) ? column(key) : none.as(key),
    ]),
    ...usageFieldNames.map((field) => [field, sumOf(session, column(field), field)]),
    ["pending", selectPending.as("pending")],
  ]);
  const slugs = sql`select value from ${elements(dialect, sql.placeholder("slugs"))}`;
  return db
    .select(selected)
    .from(t.feed_head)
    .leftJoin(
      table,
      and(
        dialect.isIn(column("project"), slugs),
        gte(column("day"), sql.placeholder("from")),
        lte(column("day"), sql.placeholder("to")),
      ),
    )
    .where(isHead(session))
    .groupBy(...keys.map((key) => sql`${column(key)}`))
    .prepare();
}

const sumOf = ({ dialect }: Session, column: Column, field: string): SQL<number> =>
  (field === "cost_equiv" ? sql`sum(${column})` : dialect.cappedSum(sql`${column}`, sumMax)).mapWith(
    Number,
  ) as SQL<number>;
