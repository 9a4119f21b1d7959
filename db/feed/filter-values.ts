/** The values that the filters of lists offer: those that events have. */
import { type SQL, sql } from "drizzle-orm";
import type { FeedReads } from "../../src/feed/port.ts";
import type { Session } from "../engine/session.ts";
import { allRows, elements } from "../query/sql.ts";

/** More than anyone reads to its end in a list on a page. */
const valuesMax = 200;

export const filterValueReads = (session: Session) =>
  ({
    /** From the facets: a row for each combination of values, however many events have it. */
    async filterValues(projects, name, kinds) {
      const column = sql.identifier(name);
      const isIn = (field: string, list: readonly string[]): SQL =>
        sql`${sql.identifier(field)} in (select value from ${elements(session.dialect, [...list])})`;
      const conditions = [
        sql`${column} <> ''`,
        ...(projects ? [isIn("project", projects)] : []),
        ...(kinds ? [isIn("kind", kinds)] : []),
      ];
      const rows = await allRows<{ value: string }>(
        session,
        sql`select distinct ${column} as value from facets where ${sql.join(conditions, sql` and `)}
          order by value limit ${sql.raw(String(valuesMax))}`,
      );
      return rows.map(({ value }) => value);
    },
  }) satisfies Partial<FeedReads>;
