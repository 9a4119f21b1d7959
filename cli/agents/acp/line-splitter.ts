/** Splits a stream into lines without changing a byte of it. */

const newline = 10;

/** A line with its line break, or a piece of one that is too long to hold. */
export interface Piece {
  bytes: Uint8Array;
  isLine: boolean;
}

/** Collects the bytes of lines. A line longer than `bytesMax` comes out in pieces, as it arrives. */
export class LineSplitter {
  #parts: Uint8Array[] = [];
  #size = 0;
  #isLong = false;

  constructor(readonly bytesMax: number) {}

  /** Yields what the chunk completes, in order. */
  *add(chunk: Uint8Array): Generator<Piece> {
    let start = 0;
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
      yield this.#finish(chunk.subarray(start, end + 1));
      start = end + 1;
    }
    if (start === chunk.length) return;
    const rest = chunk.slice(start); // copied: the reader may use the memory of the chunk again
    this.#size += rest.length;
    this.#parts.push(rest);
    if (!this.#isLong && this.#size <= this.bytesMax) return;
    this.#isLong = true;
    yield { bytes: this.#take(), isLine: false };
  }

  /** What the stream ended with, without a line break; empty if there is nothing. */
  end(): Uint8Array {
    return this.#take();
  }

  #finish(last: Uint8Array): Piece {
    const isLine = !this.#isLong && this.#size + last.length <= this.bytesMax;
    const bytes = this.#parts.length === 0 ? last : Buffer.concat([...this.#parts, last]);
    this.#parts = [];
    this.#size = 0;
    this.#isLong = false;
    return { bytes, isLine };
  }

  #take(): Uint8Array {
    const bytes = Buffer.concat(this.#parts);
    this.#parts = [];
    this.#size = 0;
    return bytes;
  }
}
