/**
 * Column builders for both dialects. Queries are typed against the SQLite columns; the Postgres builders are
 * cast to them once, here. The cast is safe because both yield the same JavaScript types; the contract tests
 * run on both dialects.
 */
import { sql } from "drizzle-orm";
import * as pg from "drizzle-orm/pg-core";
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

// drizzle's jsonb() over Bun.SQL stores a JSON string instead of the object, so the statement casts the text.
const jsonb = pg.customType<{ data: unknown }>({
  dataType: () => "jsonb",
  toDriver: (value) => sql`${JSON.stringify(value)}::text::jsonb`,
  fromDriver: (value) => value,
});

export const postgresColumns = {
  table: (name: string, columns: () => Record<string, pg.PgColumnBuilderBase>) => () =>
    pg.pgTable(name, columns()),
  serial: () => pg.bigint({ mode: "number" }).primaryKey().generatedAlwaysAsIdentity(),
  int: () => pg.bigint({ mode: "number" }),
  real: () => pg.doublePrecision(),
  text: () => pg.text(),
  flag: () => pg.boolean(),
  json: () => jsonb(),
} as unknown as ColumnKit;
