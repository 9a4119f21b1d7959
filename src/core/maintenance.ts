/** Reading and replacing all rows, for backup and export, and the consistency checks of `svc doctor`. */

import type { Micros } from "./lib/time.ts";

/** The consistency checks between rows, by name. */
export const consistencyChecks = [
  ...(["counters", "issues", "pulls", "usage", "budgets", "runs", "head", "chains"] as const),
  ...(["published", "removals", "queue", "reviews", "uploaded", "outbox", "unswept", "index"] as const),
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
  /** Replaces all rows by those `work` imports, in one transaction; nothing changes when it throws. */
  replaceAllRows<T>(work: (rows: DatabaseImport) => Promise<T>): Promise<T>;
  /** The deployment id. It is tied to the location of the database, so a copy gets a new id. */
  deployment(): Promise<string>;
  /** Generates a new deployment id; this database then no longer owns any object store. */
  renewDeployment(): Promise<void>;
  /** Runs all consistency checks on one snapshot. */
  findInconsistencies(): Promise<Inconsistency[]>;
  /** Rebuilds derived rows of these kinds: counters, usage, budgets, runs, the review queue, search indexes. */
  rebuildDerivedRows(kinds: Inconsistency["kind"][]): Promise<void>;
  /** Whether the recall index was made by the analyzer of this version, and how far a rebuild is. */
  recallIndexState(): Promise<RecallIndexState>;
  /**
   * Rebuilds the next documents of a recall index that an older analyzer made, in a transaction of a few
   * milliseconds. @returns whether more of them are left
   */
  rebuildRecallBatch(): Promise<boolean>;
  /** Result of SQLite's `integrity_check`; null on Postgres, which has none. */
  isSound(): Promise<boolean | null>;
  /** Whether this process has read a corrupt page. It then refuses all writes. */
  isDamaged(): boolean;
}
