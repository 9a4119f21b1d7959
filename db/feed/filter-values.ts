/** The values that the filters of lists offer: those that events have. */
import { type SQL, sql } from "drizzle-orm";
import type { FeedReads } from "../../src/feed/port.ts";
import type { Session } from "../engine/session.ts";
import { elements, preparedShapes, rowsReader } from "../query/statements.ts";

/** More than anyone reads to its end in a list on a page. */
const valuesMax = 200;

type Name = Parameters<FeedReads["filterValues"]>[1];

export const filterValueReads = (session: Session) =>
  ({
    async filterValues(projects, name, kinds) {
      const shape = [name, projects ? "project" : "", kinds ? "kind" : ""].join(" ");
      const values = { project: JSON.stringify(projects), kind: JSON.stringify(kinds) };
      const rows = await selectValues(session, shape)(values);
      return rows.map(({ value }) => value);
    },
  }) satisfies Partial<FeedReads>;

/** From the facets: a row for each combination of values, however many events have it. */
const selectValues = preparedShapes((session, shape: string) => {
  const [name, ...lists] = shape.split(" ").filter((word) => word !== "") as [Name, ...string[]];
  const column = sql.identifier(name);
  const isIn = (field: string): SQL =>
    sql`${sql.identifier(field)} in (select value from ${elements(session.dialect, sql.placeholder(field))})`;
  const conditions = [sql`${column} <> ''`, ...lists.map(isIn)];
  return rowsReader<{ value: string }>(
    session,
    sql`select distinct ${column} as value from facets where ${sql.join(conditions, sql` and `)}
      order by value limit ${sql.raw(String(valuesMax))}`,
    ["value"],
  );
});
