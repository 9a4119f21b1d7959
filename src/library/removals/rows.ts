/** The row of a removal. */
import type { Micros } from "../../core/lib/time.ts";
import type { Removal } from "./schema.ts";

export type RemovalKind = Removal["kind"];

/** What was taken back. It is written before the files are deleted, which a crash only delays. */
export interface RemovalRow extends Omit<Removal, "removed_at" | "finished_at"> {
  /** The id of the asset. */
  subject: string;
  project: string | null;
  removed_at: Micros;
  /** When the files were gone from the stores; null while they are being deleted. */
  finished_at: Micros | null;
}
