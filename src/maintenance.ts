/** Every row at once, for backups and exports, and what rows can disagree on, for `svc doctor`. */

/** What rows can disagree on; the checks of `svc doctor`. */
export const consistencyChecks = [
  ...(["counters", "issues", "usage", "head", "chains", "published", "queue"] as const),
  ...(["reviews", "uploaded", "outbox", "unswept", "index"] as const),
] as const;

export interface Inconsistency {
  kind: (typeof consistencyChecks)[number];
  /** Some of what it is about. */
  names: string[];
  count: number;
}

/** A row of any table, as it is kept: its columns, in their order, as JSON has them. */
export type ExportedRow = Record<string, unknown>;

export interface DatabaseExport {
  /** Every table that has rows of its own. */
  readonly tables: readonly string[];
  /** What this database was brought up to date by. */
  migrations(): Promise<string[]>;
  /** Nobody has written anything, setting it up aside. */
  isEmpty(): Promise<boolean>;
  /** A page at a time. */
  rows(table: string): AsyncIterable<ExportedRow[]>;
}

export interface DatabaseImport extends DatabaseExport {
  put(table: string, rows: ExportedRow[]): Promise<void>;
}
