/** What the container parsers share: their result, and the sanitized file for the decoder. */
import type { Geometry } from "../geometry.ts";

export interface ParsedImage extends Geometry {
  /** The file reduced to what renders its first frame: no text, no profile, no trailing data. */
  bytes: Uint8Array;
  /** The color profile of its pixels, if they are not of sRGB. */
  profile?: Uint8Array | undefined;
  /** Of a CMYK image, the files of two parts of its inks, see `mixInks`. */
  inks?: (() => { withoutBlack: Uint8Array; blackAlone: Uint8Array }) | undefined;
  /** False if only the head of a large file was parsed. */
  isWhole: boolean;
  /** What the decoder holds in memory beside the file. */
  decodedBytes: number;
}

/** Why an image is not decoded. */
export class InvalidImage extends Error {
  override name = "Refused";
}

/** @throws InvalidImage with the reason, if the condition does not hold */
export function requireValid(condition: boolean, why: string): asserts condition {
  if (!condition) throw new InvalidImage(why);
}

/**
 * Compacts the needed parts of a file in place, so that a large file needs no second buffer. Parts must be
 * appended in order.
 */
export class ByteCompactor {
  #end = 0;
  constructor(readonly from: Uint8Array) {}

  append(start: number, end: number): void {
    this.from.copyWithin(this.#end, start, end);
    this.#end += end - start;
  }

  get bytes(): Uint8Array {
    return this.from.subarray(0, this.#end);
  }
}

/** Of a decoder that holds all pixels. */
export const rgbaBytes = (width: number, height: number): number => 4 * width * height;

export const viewOf = (bytes: Uint8Array): DataView =>
  new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

export const tagAt = (bytes: Uint8Array, at: number, length = 4): string =>
  String.fromCharCode(...bytes.subarray(at, at + length));
