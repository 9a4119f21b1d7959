/** Every row at once, for backups and exports, and what rows can disagree on, for `svc doctor`. */

/** What rows can disagree on; the checks of `svc doctor`. */
export const discrepancies = [
  ...(["counters", "issues", "usage", "head", "chains", "published", "queue"] as const),
  ...(["reviews", "uploaded", "outbox", "unswept", "index"] as const),
] as const;

export interface Discrepancy {
  kind: (typeof discrepancies)[number];
  /** Some of what it is about. */
  names: string[];
  count: number;
}

/** A row of any table, as it is kept: its columns, in their order, as JSON has them. */
export type KeptRow = Record<string, unknown>;

export interface AllRows {
  /** Every table that has rows of its own. */
  readonly tables: readonly string[];
  /** What this database was brought up to date by. */
  migrations(): Promise<string[]>;
  /** Nobody has written anything, setting it up aside. */
  isEmpty(): Promise<boolean>;
  /** A page at a time. */
  rows(table: string): AsyncIterable<KeptRow[]>;
}

export interface Replacement extends AllRows {
  put(table: string, rows: KeptRow[]): Promise<void>;
}
