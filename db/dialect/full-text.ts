/** The full-text indexes: FTS5 on SQLite, tsvector with a GIN index on Postgres. */
import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { Client, Value } from "./client.ts";

/** The terms of a row, as they are indexed. */
export interface IndexedDocument {
  id: number;
  /** The terms of the heading, which weigh twice as much as those of the body. */
  head: string[];
  body: string[];
  /** Terms that are searched for, but have no position in the text. */
  unpositioned: string[];
}

/** Search expressions and statements of one index, which is given by its table. */
export interface FullText {
  /** The name of the index's column that holds the id of the row. */
  readonly key: "rowid" | "id";
  /** The operators of search expressions. */
  readonly and: string;
  readonly or: string;
  /** The search expression of one term. Terms hold only letters and digits, so quoting suffices. */
  term(term: string, isPrefix: boolean): string;

  /** Returns a function that inserts documents, given as rows made by `rowOf`. */
  insertion(client: Client, index: string): (rows: readonly Value[][]) => Promise<unknown>;
  rowOf(document: IndexedDocument): Value[];
  /** Replaces or adds documents: a JSON list of rows made by `rowOf`. */
  replacement(index: SQLWrapper, rows: string): SQL;
  clear(index: SQLWrapper): SQL;

  /** The condition that a row of the index has a match. */
  hasMatch(index: SQLWrapper, expression: SQLWrapper): SQL;
  /**
   * Subqueries named `found` that give the keys of the newest rows with a match, to be tried in order: the
   * next one is needed only if the one before has too few rows.
   * @param isLarge the index may hold millions of rows
   */
  newestMatches(index: SQLWrapper, expression: SQLWrapper, limit: SQL, isLarge: boolean): SQL[];
  /**
   * A subquery named `found` of the rows after a key that have all terms of a match, of which there are few.
   * Its placeholders: `match`, the terms as the JSON list `texts`, their `count`, and `after`.
   */
  newerMatches(index: SQLWrapper): SQL;
  /** The relevance of a row that has the match of the placeholder `match`; the best is the lowest. */
  rank(index: SQLWrapper): SQL;
  /** The condition of a search that sorts by `rank`. @param hasRankMatch see SearchQuery.rank */
  rankedMatch(index: SQLWrapper, hasRankMatch: boolean): SQL;

  /**
   * The list of pairs of search expressions in the placeholder `list`, as rows named `query`: their `place`,
   * `query_text`, and `of_many`, which may be null.
   */
  searchList(): SQL;
  /** `hasMatch` for an expression of that list. */
  hasListedMatch(index: SQLWrapper, expression: SQL): SQL;
  /**
   * Estimates how many rows have each of the most frequent terms, as `term` and `rows`. Absent on SQLite:
   * FTS5 reads posting lists row by row, so a limited count is cheap.
   */
  termFrequencies?(index: string): SQL;
}

/** The placeholder of a match expression. */
export const matchPlaceholder = sql.placeholder("match");

/**
 * The newest rows that Postgres scans before it queries the index: reading this many is faster than reading
 * the posting list of a frequent word (`bun run bench growth-postgres` measures these searches).
 */
export const recentRowsMax = 20_000;
