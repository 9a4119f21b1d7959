/**
 * The column kit: one spelling of columns for both dialects. Queries are typed against SQLite's; the Postgres
 * kit is cast once, here, which is safe because both kits yield the same JavaScript types (the contract suite
 * runs on both).
 */
import { sql } from "drizzle-orm";
import * as pg from "drizzle-orm/pg-core";
import * as lite from "drizzle-orm/sqlite-core";

export const sqliteColumns = {
  table: lite.sqliteTable,
  /** Assigned by the database, rising. */
  serial: () => lite.integer().primaryKey({ autoIncrement: true }),
  int: () => lite.integer(),
  real: () => lite.real(),
  text: () => lite.text(),
  flag: () => lite.integer({ mode: "boolean" }),
  json: () => lite.text({ mode: "json" }),
};

export type ColumnKit = typeof sqliteColumns;

// drizzle's jsonb() over Bun.SQL stores a JSON string; the text has to be cast by the statement.
const jsonb = pg.customType<{ data: unknown }>({
  dataType: () => "jsonb",
  toDriver: (value) => sql`${JSON.stringify(value)}::text::jsonb`,
  fromDriver: (value) => value,
});

export const postgresColumns = {
  table: pg.pgTable,
  serial: () => pg.bigint({ mode: "number" }).primaryKey().generatedAlwaysAsIdentity(),
  int: () => pg.bigint({ mode: "number" }),
  real: () => pg.doublePrecision(),
  text: () => pg.text(),
  flag: () => pg.boolean(),
  json: () => jsonb(),
} as unknown as ColumnKit;
