/** What a walk through an image's container finds, and leaves for the decoder. */

export interface ParsedImage {
  width: number;
  height: number;
  /**
   * The file reduced to what draws its first frame: no text, no profile that unpacks, nothing behind the end.
   */
  bytes: Uint8Array;
  /** False where only the head of a large file was given. */
  isWhole: boolean;
  /** The first frame is smaller than the picture, so that the decoder would measure that. */
  isFrame?: true;
}

/** Why an image is not decoded. */
export class InvalidImage extends Error {
  override name = "Refused";
}

export function requireValid(condition: boolean, why: string): asserts condition {
  if (!condition) throw new InvalidImage(why);
}

/**
 * Moves the parts that are kept to the front of their own buffer, so that a large file needs no second one.
 * What is kept lies at or behind what was kept before.
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

export const viewOf = (bytes: Uint8Array): DataView =>
  new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

export const tagAt = (bytes: Uint8Array, at: number, length = 4): string =>
  String.fromCharCode(...bytes.subarray(at, at + length));
