/** Reading and replacing all rows, for backup and export, and the consistency checks of `svc doctor`. */

import type { Micros } from "./lib/time.ts";

/** The consistency checks between rows, by name. */
export const consistencyChecks = [
  ...(["counters", "issues", "pulls", "usage", "budgets", "runs", "tasks", "head", "chains"] as const),
  ...([
    "published",
    "removals",
    "queue",
    "reviews",
    "uploaded",
    "outbox",
    "unswept",
    "rules",
    "index",
  ] as const),
] as const;

/** The finding of one check. */
export interface Inconsistency {
  kind: (typeof consistencyChecks)[number];
  /** A few of the affected rows. */
  names: string[];
  /** How many rows are affected. */
  count: number;
}

/** Whether the recall index has the terms of this version's analyzer. */
export interface RecallIndexState {
  state: "current" | "outdated" | "newer";
  /** The share of documents that have the terms of this version, from 0 to 1; estimated by their ids. */
  share: number;
  /** When the rebuild last made progress, or when the index became outdated; null when it is current. */
  changedAt: Micros | null;
}

/** A row of any table: its columns in table order, with JSON values. */
export type ExportedRow = Record<string, unknown>;

/** Rows of a table: all conditions hold. */
export interface RowFilter {
  /** Columns and their values; a list is any of its values. */
  equals?: Readonly<Record<string, unknown>>;
  /** One of the columns contains one of the words, in any case. A filter of many rows: `change` decides. */
  contains?: { columns: readonly string[]; words: readonly string[] };
  /** A range of two columns includes the value. */
  spans?: { first: string; last: string; value: number };
}

/** Stands for all other tables that have the columns of a filter. */
export const otherTables = "*";

/** What is taken back from rows of any table. */
export interface Rewriting {
  /** The rows that it looks at: those that one of the filters of their table finds. */
  tables: Readonly<Record<string, readonly RowFilter[]>>;
  /** The project that goes, with its words in the vocabulary of search. */
  project?: string;
  /** The row as it stays: itself if nothing changes, null if it goes. */
  change(table: string, row: ExportedRow): ExportedRow | null;
}

/** A row that a rewriting changes. */
export interface AffectedRow {
  table: string;
  row: ExportedRow;
  /** Null if it goes. */
  changed: ExportedRow | null;
}

/** The last row that a step looked at. */
export interface RewritePosition {
  table: string;
  /** The columns of its key; absent at the end of the table. */
  key?: ExportedRow;
}

export interface RewriteStep {
  count: number;
  next: RewritePosition | null;
}

/** Reads all rows from one snapshot. */
export interface DatabaseExport {
  /** The tables whose rows cannot be rebuilt from other tables. */
  readonly tables: readonly string[];
  /** The names of the applied migrations. */
  migrations(): Promise<string[]>;
  /** Why rows of a database with these migrations cannot be imported, and what to do; null if they can. */
  refusalOf(migrations: readonly string[]): string | null;
  /** Whether the database holds nothing but what its creation wrote. */
  isEmpty(): Promise<boolean>;
  /** The rows of a table, in pages. */
  rows(table: string): AsyncIterable<ExportedRow[]>;
}

/** Replaces all rows, in one transaction. */
export interface DatabaseImport extends DatabaseExport {
  put(table: string, rows: ExportedRow[]): Promise<void>;
}

/** Maintenance of the database as a whole, a part of its port. */
export interface Maintenance {
  /**
   * Reads all rows from one consistent snapshot while others write. Read it without pauses: the database
   * keeps old row versions (on SQLite, the WAL) until it ends.
   */
  snapshot<T>(work: (rows: DatabaseExport) => Promise<T>): Promise<T>;
  /** Reads the rows that a rewriting would change, from one snapshot. */
  affected<T>(rewriting: Rewriting, work: (rows: AsyncIterable<AffectedRow>) => Promise<T>): Promise<T>;
  /** Replaces all rows by those `work` imports, in one transaction; nothing changes when it throws. */
  replaceAllRows<T>(work: (rows: DatabaseImport) => Promise<T>): Promise<T>;
  /** The deployment id. It is tied to the location of the database, so a copy gets a new id. */
  deployment(): Promise<string>;
  /** Generates a new deployment id; this database then no longer owns any object store. */
  renewDeployment(): Promise<void>;
  /** Runs all consistency checks on one snapshot. @param tell gets each check that begins */
  findInconsistencies(tell?: (check: string) => void): Promise<Inconsistency[]>;
  /** Rebuilds derived rows of these kinds: counters, usage, budgets, runs, the review queue, search indexes. */
  rebuildDerivedRows(kinds: Inconsistency["kind"][]): Promise<void>;
  /** Whether the recall index was made by the analyzer of this version, and how far a rebuild is. */
  recallIndexState(): Promise<RecallIndexState>;
  /**
   * Rebuilds the next documents of a recall index that an older analyzer made, in a transaction of a few
   * milliseconds. @returns whether more of them are left
   */
  rebuildRecallBatch(): Promise<boolean>;
  /**
   * Makes the database forget what its files still hold of rows that were rewritten or deleted. Nothing on
   * Postgres, whose vacuum does. @returns false if it has to be done again later
   */
  purge(): Promise<boolean>;
  /** Result of SQLite's `integrity_check`; null on Postgres, which has none. */
  isSound(): Promise<boolean | null>;
  /** Whether this process has read a corrupt page. It then refuses all writes. */
  isDamaged(): boolean;
}
