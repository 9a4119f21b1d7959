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
export interface RedactionDetail {
  places: Record<string, Place[]>;
}

/** A name of an erased person, as a hash with the salt of the removal. */
export interface ErasedName {
  hash: string;
  /** How many words it has. */
  words: number;
  /** What stands in its place. */
  label: string;
}

/** The names of an erased person, which cannot be read from it. */
export interface PersonDetail {
  salt: string;
  names: ErasedName[];
  /** Whether all rows read without the names; absent while they are rewritten, step by step. */
  isRewritten?: true;
}

/** Of a project nothing more is stored. */
export type RemovalDetail = RedactionDetail | PersonDetail | Record<string, never>;
