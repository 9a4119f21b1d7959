/** The row of a removal. */
import type { Micros } from "../../core/lib/time.ts";
import type { Removal } from "./schema.ts";

export type RemovalKind = Removal["kind"];

/** What was taken back. It is written before files and copies are deleted, which a crash only delays. */
export interface RemovalRow extends Omit<Removal, "removed_at" | "finished_at"> {
  removed_at: Micros;
  /** When the files were gone from the stores; null while they are being deleted. */
  finished_at: Micros | null;
  /** JSON text of a `RemovalDetail`; null for assets. */
  detail: string | null;
}

/** The columns that identify a row, and their values. */
export type Place = Record<string, string | number>;

/** Where a redacted text stood, by table. It holds no part of the text. */
export interface RemovalDetail {
  places: Record<string, Place[]>;
}
