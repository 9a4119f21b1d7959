/** A part of a file that says something about it and does not draw it. */
import type { BlockReader } from "../bytes.ts";

export interface MetadataBlock {
  type: "text" | "exif" | "xmp" | "c2pa" | "comment" | "other";
  /** The whole block in the file, with its header, from `start` up to `end`. */
  start: number;
  end: number;
  /** Its content; empty where it is longer than is read. */
  data: Uint8Array;
  /** Of a text chunk: what the text is. */
  keyword?: string;
}

/** Longer blocks are removed with the others, but not read. */
export const blockBytesMax = 2 ** 20;

export const readBlock = (file: BlockReader, offset: number, length: number): Uint8Array =>
  length <= blockBytesMax ? file.read(offset, length) : new Uint8Array();
