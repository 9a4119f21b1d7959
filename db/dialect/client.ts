import type { BunSQLiteDatabase } from "drizzle-orm/bun-sqlite";

/**
 * A connection, or a transaction on one. Postgres connections are cast to the type of SQLite's (see
 * schema/columns.ts).
 */
export type Client = BunSQLiteDatabase;

/** A query built by drizzle, with placeholders for its values. */
export interface BuiltQuery {
  getQuery(): { sql: string; params: unknown[] };
}
export type PreparedQuery = BuiltQuery & { execute(values: Values): Promise<unknown> };
export type Values = Record<string, unknown>;
/** The value of a column of text or numbers. */
export type Value = string | number | null;
