/** The part of the data port that holds how files were made. */
import type { Provenance } from "../../files/provenance/schema.ts";

export interface ProvenanceReads {
  /** How the file of an asset was made: as its upload says first, then as the file says. */
  provenance(asset: string): Promise<Provenance[]>;
  /** The same of several assets, by their ids; nothing is known of those that are missing. */
  provenanceOf(assets: readonly string[]): Promise<ReadonlyMap<string, Provenance[]>>;
}

export interface ProvenanceWrites {
  addProvenance(asset: string, project: string, stated: Provenance[]): Promise<void>;
}
