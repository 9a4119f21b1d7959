/** Sums of usage by project and day, as a process remembers them. */
import { and, type Column, getTableColumns, gte, lte, sql, type Table } from "drizzle-orm";
import type { UsageRange } from "../../../src/feed/rows.ts";
import { type UsageSums, usageFieldNames } from "../../../src/feed/usage/schema.ts";
import type { Session } from "../../engine/session.ts";
import { elements, noLimit, preparedStatement } from "../../query/statements.ts";
import type { DayGroup, ProjectDay } from "./day-cache.ts";
import {
  byProjectAndDay,
  type DaySource,
  type RememberedDays,
  readRememberedDays,
} from "./remembered-days.ts";
import { sumOfField, type UsageTable } from "./sums.ts";

/** The table that has the sums of a group. */
const tables: Record<DayGroup, UsageTable> = {
  project: "usage",
  model: "usage",
  lane: "usage",
  actor: "task_usage",
  person: "person_usage",
  team: "person_usage",
};

export type DaySums = RememberedDays<DayGroup>;

/** The sums of each day of a range in each of these projects. */
export const readDaySums = (
  session: Session,
  by: DayGroup,
  slugs: readonly string[],
  range: UsageRange,
): Promise<DaySums> => readRememberedDays(session, sumsBy(session, by), slugs, range);

const sumsBy = (session: Session, kind: DayGroup): DaySource<DayGroup> => ({
  kind,
  pieceDays: 14,
  none: [],
  async read(slugs, range) {
    const rows = await selectDays(session)[kind]({ ...range, slugs: JSON.stringify(slugs), limit: noLimit });
    return byProjectAndDay(rows).map(({ at, rows }) => [
      at,
      rows.map(({ project: _, day: __, name, ...usage }) => ({ name, usage })),
    ]);
  },
});

type Row = ProjectDay & { name: string } & UsageSums;

const selectDays = preparedStatement((session) => {
  const { db, t, dialect } = session;
  const select = (by: DayGroup) => {
    const table: Table = t[tables[by]];
    const columns: Record<string, Column> = getTableColumns(table);
    const column = (name: string) => columns[name] as Column;
    const [project, day, name] = [column("project"), column("day"), column(by)];
    const sums = usageFieldNames.map((field) => [field, sumOfField(session, column(field), field).as(field)]);
    const slugs = sql`select value from ${elements(dialect, sql.placeholder("slugs"))}`;
    const query = db
      .select({ project, day, name: sql`${name}`.as("name"), ...Object.fromEntries(sums) })
      .from(table)
      .where(
        and(dialect.isIn(project, slugs), gte(day, sql.placeholder("from")), lte(day, sql.placeholder("to"))),
      )
      .groupBy(sql`${project}`, sql`${day}`, sql`${name}`)
      .limit(sql.placeholder("limit"));
    return dialect.reader<Row>(db, query.prepare());
  };
  return Object.fromEntries(Object.keys(tables).map((by) => [by, select(by as DayGroup)])) as Record<
    DayGroup,
    ReturnType<typeof select>
  >;
});
