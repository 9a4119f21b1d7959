/**
 * The tables on Postgres. Its column builders are cast to those of SQLite once, here. The cast is safe
 * because both yield the same JavaScript types; the contract tests run on both dialects.
 */
import { sql } from "drizzle-orm";
import * as pg from "drizzle-orm/pg-core";
import { lazy, lazyMembers } from "../../src/core/lib/lazy.ts";
import type { ColumnKit } from "./columns.ts";
import { defineTables } from "./tables.ts";

// drizzle's jsonb() over Bun.SQL stores a JSON string instead of the object, so the statement casts the text.
const jsonb = pg.customType<{ data: unknown }>({
  dataType: () => "jsonb",
  toDriver: (value) => sql`${JSON.stringify(value)}::text::jsonb`,
  fromDriver: (value) => value,
});

const postgresColumns = {
  table: (name: string, columns: () => Record<string, pg.PgColumnBuilderBase>) => () =>
    pg.pgTable(name, columns()),
  serial: () => pg.bigint({ mode: "number" }).primaryKey().generatedAlwaysAsIdentity(),
  int: () => pg.bigint({ mode: "number" }),
  real: () => pg.doublePrecision(),
  text: () => pg.text(),
  flag: () => pg.boolean(),
  json: () => jsonb(),
} as unknown as ColumnKit;

/** A process uses one database, so it defines the tables of one, and loads the builders of one. */
export const postgresTables = lazy(() => lazyMembers(defineTables(postgresColumns)));
