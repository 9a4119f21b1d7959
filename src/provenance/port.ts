/** The part of the data port that holds how files were made. */
import type { Provenance } from "./schema.ts";

export interface ProvenanceReads {
  /** How the file of an asset was made: as its upload says first, then as the file says. */
  provenance(asset: string): Promise<Provenance[]>;
}

export interface ProvenanceWrites {
  addProvenance(asset: string, project: string, stated: Provenance[]): Promise<void>;
}
