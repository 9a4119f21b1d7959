/** Reads of daily sums: a range of days of each project, in the primary key of their table. */
import { and, type Column, getTableColumns, gte, lte, type SQL, sql, type Table } from "drizzle-orm";
import type { Session } from "../../engine/session.ts";
import { elements } from "../../query/statements.ts";
import { isHead, selectPending } from "../head.ts";
import type { UsageTable } from "./sums.ts";

interface Parts {
  selected: Record<string, Column | SQL | SQL.Aliased>;
  /** The columns that the sums are grouped by. */
  keys: readonly string[];
  conditions: readonly SQL[];
}

/** Takes `slugs` as a JSON list, `from`, and `to`; each row also tells what is not summed yet. */
export function selectDailySums(
  session: Session,
  name: UsageTable,
  partsOf: (column: (name: string) => Column) => Parts,
) {
  const { db, t, dialect } = session;
  const table: Table = t[name];
  const columns: Record<string, Column> = getTableColumns(table);
  const column = (of: string) => columns[of] as Column;
  const { selected, keys, conditions } = partsOf(column);
  const slugs = sql`select value from ${elements(dialect, sql.placeholder("slugs"))}`;
  return db
    .select({ ...selected, pending: selectPending.as("pending") })
    .from(t.feed_head)
    .leftJoin(
      table,
      and(
        dialect.isIn(column("project"), slugs),
        gte(column("day"), sql.placeholder("from")),
        lte(column("day"), sql.placeholder("to")),
        ...conditions,
      ),
    )
    .where(isHead(session))
    .groupBy(...keys.map((key) => sql`${column(key)}`))
    .prepare();
}
