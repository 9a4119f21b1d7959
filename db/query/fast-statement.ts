/**
 * Prepared statements of bun:sqlite without drizzle's row mapping, which takes nearly as long as reading the
 * rows.
 */
import type { Database, SQLQueryBindings } from "bun:sqlite";
import {
  type Column,
  getTableColumns,
  getTableName,
  type InferSelectModel,
  is,
  Param,
  Placeholder,
  type Table,
} from "drizzle-orm";
import type { BuiltQuery, Client, Value } from "../dialect/client.ts";
import { parameterLister } from "./statements.ts";

const connectionOf = (client: Client): Database => (client as Client & { $client: Database }).$client;

/**
 * Returns a reader for a query whose last parameter is its limit. The limit is inlined as a literal, so that
 * SQLite plans for it (a third faster); a connection compiles each text once.
 */
export function sqliteQuery<Row>(client: Client, query: BuiltQuery): (values: { limit: number }) => Row[] {
  const { sql: text, params } = query.getQuery();
  const connection = connectionOf(client);
  const valuesOf = parameterLister(params.slice(0, -1));
  const [beforeLimit, afterLimit] = text.split(/\?(?=[^?]*$)/);
  const compile = (limit: number) =>
    connection.prepare<Row, SQLQueryBindings[]>(`${beforeLimit}${limit}${afterLimit}`);
  let last: { limit: number; statement: ReturnType<typeof compile> } | undefined;
  return (values) => {
    const { limit } = values;
    if (last?.limit !== limit) last = { limit, statement: compile(limit) };
    return last.statement.all(...(valuesOf(values) as SQLQueryBindings[]));
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

/** Returns a function that inserts rows one by one, which takes less time than reading them from JSON. */
export function sqliteInsert(
  client: Client,
  table: Table,
  onConflict = "",
  generated = "",
): (rows: readonly (readonly Value[])[]) => Promise<void> {
  const columns = Object.values(getTableColumns(table)).flatMap(({ name }) =>
    name === generated ? [] : [`"${name}"`],
  );
  const values = columns.map(() => "?").join();
  const statement = connectionOf(client).prepare<unknown, SQLQueryBindings[]>(
    `insert into ${getTableName(table)} (${columns.join()}) values (${values}) ${onConflict}`,
  );
  return async (rows) => {
    for (const row of rows) statement.run(...row);
  };
}

/**
 * Returns a function that adds those rows that a table does not have yet, and returns them with their ids.
 * One by one: a statement of several rows, or with `returning`, copies each page that it changes, to be able
 * to undo it (https://www.sqlite.org/tempfiles.html#stmtjrnl).
 */
export function sqliteAdd<Row extends Record<string, string>>(
  client: Client,
  table: Table,
): (rows: readonly Row[]) => Promise<(Row & { id: number })[]> {
  const names = Object.keys(getTableColumns(table)).filter((name) => name !== "id");
  const statement = connectionOf(client).prepare<unknown, SQLQueryBindings[]>(
    `insert into ${getTableName(table)} (${names.join()}) values (${names.map(() => "?").join()}) ` +
      "on conflict do nothing",
  );
  return async (rows) =>
    rows.flatMap((row) => {
      const { changes, lastInsertRowid } = statement.run(...names.map((name) => row[name] as string));
      return changes === 0 ? [] : [{ ...row, id: Number(lastInsertRowid) }];
    });
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
