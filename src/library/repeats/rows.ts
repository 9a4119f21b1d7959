/** The rows of fingerprints. */
import type { AssetRow } from "../rows.ts";

export interface FingerprintRow {
  /** A hash of the thumbnail: see `pictureHash`. */
  picture: string | null;
  /** A sketch of a text: see `shingleSketch`. */
  words: string | null;
}

/** A rejected file. */
export interface RejectedFile extends FingerprintRow, Pick<AssetRow, "id"> {}

/** Where a rejected file may come back: a chain, a title, a task. */
export interface RepeatScope extends Pick<AssetRow, "project" | "title" | "issue" | "pr"> {
  /** The first version of the asset that it replaces. */
  root_id: string | null;
}
