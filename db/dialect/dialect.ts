/**
 * What differs between SQLite and Postgres. Queries call these methods instead of branching, so each
 * difference has one place, the file of its database. `test/db/dialects.test.ts` lists the branches that are
 * left.
 */
import type { Placeholder, SQL, SQLWrapper, Table } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import type { Client, PreparedQuery, Value, Values } from "./client.ts";
import type { FullText } from "./full-text.ts";
import type { Direction, IndexRange, Range } from "./index-range.ts";

export interface Dialect {
  readonly name: "sqlite" | "postgres";
  readonly fullText: FullText;
  /** The log has a partition for each year; see db/feed/partitions.ts. */
  readonly isPartitioned?: true;

  /** Runs a raw statement and returns its rows. */
  all<T>(client: Client, statement: SQL): Promise<T[]>;
  /**
   * Returns a function that runs a query whose last parameter is its limit.
   * @param table of the columns, if some of them are booleans or JSON
   */
  reader<R>(
    client: Client,
    query: PreparedQuery,
    table?: Table,
  ): (values: Values & { limit: number }) => Promise<R[]>;
  /** Returns a function that runs a statement without results. All of its values are placeholders. */
  writer(client: Client, statement: PreparedQuery): (values: Values) => Promise<unknown>;
  /**
   * Returns a function that inserts rows in one go: for each, the values of all columns of a table of text
   * and numbers.
   * @param onConflict an `on conflict` clause; no two of the rows may conflict with each other
   * @param generated the column whose values the database gives, which the rows do not have
   */
  inserter(
    client: Client,
    table: SQLiteTable,
    onConflict?: string,
    generated?: string,
  ): (rows: readonly (readonly Value[])[]) => Promise<unknown>;
  /**
   * Returns a function that adds those rows that a table does not have yet, and returns them with their ids.
   * All other columns are text, and unique together.
   */
  adder<Row extends Record<string, string>>(
    client: Client,
    table: SQLiteTable,
  ): (rows: readonly Row[]) => Promise<(Row & { id: number | string })[]>;

  /** The elements of a JSON list as rows of one column of text, `value`; on SQLite with their own types. */
  elements(json: SQLWrapper | string): SQL;
  contains(text: SQLWrapper, part: SQL): SQL;
  /** The elements of a JSON list as rows of one JSON column, `value`. */
  jsonElements(json: SQLWrapper | string): SQL;
  /** A table, and fields of its column of JSON text as columns: Postgres parses each text once for all of them. */
  withJsonFields(table: string, column: string, types: Readonly<Record<string, string>>): SQL;
  /** JSON text as the value of a JSON column. */
  json(text: SQLWrapper): SQL;
  /** A query of the rows that a JSON list of objects has, with the types of these columns of the table. */
  objectRows(table: string, columns: readonly string[], json: string): SQL;
  /** Inserts a JSON list of objects, one row for each. */
  insertObjects(table: string, columns: readonly string[], json: string): SQL;
  /** The condition that a column is among the rows of a query, in the form that can use an index. */
  isIn(column: SQLWrapper, query: SQL): SQL;
  /** Runs a query of these columns for each row of another table. */
  forEachRow(table: SQL, columns: readonly string[], query: SQL): SQL;

  /** The condition and order that read an index range. */
  indexRange(range: IndexRange, direction: Direction): Range;
  /** A table whose rows SQLite reads by this index; Postgres chooses one by its statistics. */
  fromIndex(table: string, index: string): SQL;
  /** Keeps the planner from choosing an index of the column. */
  unindexed(column: SQLWrapper): SQL;
  /** Hides a value from the planner. */
  opaque(value: string | Placeholder | undefined): SQL;

  /** The UTC day, as text, of a time in whole seconds. */
  utcDay(seconds: SQL): SQL;
  /** The sum of integers, at most `max`. */
  cappedSum(value: SQL, max: number): SQL;

  /** Completes an import: sequences of the tables continue after their rows, statistics are current. */
  afterImport?(client: Client, tablesWithIds: readonly string[], searchIndex: SQLWrapper): Promise<void>;
}
