/**
 * Prepared statements of bun:sqlite without drizzle's row mapping, which takes nearly as long as reading the
 * rows.
 */
import type { Database, SQLQueryBindings, Statement } from "bun:sqlite";
import {
  type Column,
  fillPlaceholders,
  getTableColumns,
  type InferSelectModel,
  is,
  Param,
  Placeholder,
  type Table,
} from "drizzle-orm";
import type { BuiltQuery, Client } from "../dialect/client.ts";

const connectionOf = (client: Client): Database => (client as Client & { $client: Database }).$client;

/**
 * Returns a reader for a query whose last parameter is its limit. The limit is inlined as a literal, so that
 * SQLite plans for it (a third faster), with one prepared statement for each limit; callers use few of them.
 * @param wrap wraps the text of the query
 */
export function sqliteQuery<Row>(
  client: Client,
  query: BuiltQuery,
  wrap: (text: string) => string = (text) => text,
): (values: { limit: number }) => Row[] {
  const { sql: text, params } = query.getQuery();
  const connection = connectionOf(client);
  const byLimit = new Map<number, Statement<Row, SQLQueryBindings[]>>();
  return (values) => {
    let statement = byLimit.get(values.limit);
    if (!statement)
      byLimit.set(
        values.limit,
        (statement = connection.prepare(wrap(text.replace(/\?$/, String(values.limit))))),
      );
    return statement.all(...(fillPlaceholders(params.slice(0, -1), { ...values }) as SQLQueryBindings[]));
  };
}

/** Returns a function that decodes boolean and JSON columns of a SQLite row, in place. */
export function rowDecoder<T extends Table>(table: T): (row: Record<string, unknown>) => InferSelectModel<T> {
  const changed = Object.entries<Column>(getTableColumns(table)).filter(
    ([, { dataType }]) => dataType === "boolean" || dataType === "json",
  );
  return (row) => {
    for (const [name, column] of changed)
      if (row[name] != null) row[name] = column.mapFromDriverValue(row[name]);
    return row as InferSelectModel<T>;
  };
}

/**
 * Returns a function that runs a statement without results. All of its values are placeholders and are
 * passed to SQLite as they are.
 */
export function sqliteWrite(
  client: Client,
  query: BuiltQuery,
): (values: Record<string, unknown>) => Promise<void> {
  const { sql: text, params } = query.getQuery();
  const statement = connectionOf(client).prepare<unknown, SQLQueryBindings[]>(text);
  const names = params
    .map((param) => (is(param, Param) ? param.value : param))
    .map((value) => {
      if (!is(value, Placeholder)) throw new Error(`every value must be a placeholder: ${text}`);
      return value.name;
    });
  return async (values) => void statement.run(...names.map((name) => values[name] as SQLQueryBindings));
}
