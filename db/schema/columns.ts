/** Column builders of SQLite. Queries of both dialects are typed against them. */
import * as lite from "drizzle-orm/sqlite-core";

/**
 * A table is defined when it is first read: all of them take 11 ms of CPU, and a command reads a few
 * (`bun run bench help`).
 */
const liteTable =
  <Name extends string, Columns extends Record<string, lite.SQLiteColumnBuilderBase>>(
    name: Name,
    columns: () => Columns,
  ) =>
  () =>
    lite.sqliteTable(name, columns());

export const sqliteColumns = {
  table: liteTable,
  /** An auto-increment primary key. */
  serial: () => lite.integer().primaryKey({ autoIncrement: true }),
  int: () => lite.integer(),
  real: () => lite.real(),
  text: () => lite.text(),
  flag: () => lite.integer({ mode: "boolean" }),
  json: () => lite.text({ mode: "json" }),
};

export type ColumnKit = typeof sqliteColumns;
