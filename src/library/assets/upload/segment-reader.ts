/** Cuts a request body into pieces, and ends them where the connection breaks: what has arrived is stored. */
import type { ByteStream } from "../../../files/stores/store.ts";

export class SegmentReader {
  readonly #chunks: AsyncIterator<Uint8Array>;
  readonly #aborted: Promise<never>;
  #rest: Uint8Array | null = null;
  #isDone = false;
  /** Why the body ended early; null if it has not. */
  error: unknown = null;

  /** @param onBytes gets the bytes of every piece, in order */
  constructor(
    source: ByteStream,
    signal: AbortSignal,
    readonly onBytes: (bytes: Uint8Array) => void = () => {},
  ) {
    this.#chunks = source[Symbol.asyncIterator]();
    this.#aborted = new Promise((_, reject) => {
      const abort = () => reject(signal.reason);
      if (signal.aborted) abort();
      signal.addEventListener("abort", abort, { once: true });
    });
    this.#aborted.catch(() => {}); // it may abort while nothing is read
  }

  /** Waits for the next bytes. False at the end of the body, or where it breaks off. */
  async hasMore(): Promise<boolean> {
    while (!this.#rest?.length && !this.#isDone) {
      try {
        const { done, value } = await Promise.race([this.#chunks.next(), this.#aborted]);
        this.#isDone = done === true;
        this.#rest = done ? null : value;
      } catch (error) {
        this.#isDone = true;
        this.error = error;
      }
    }
    return Boolean(this.#rest?.length);
  }

  /** Yields the next bytes of the body, at most `bytesMax`. */
  async *take(bytesMax: number): AsyncGenerator<Uint8Array> {
    for (let left = bytesMax; left > 0 && (await this.hasMore()); ) {
      const rest = this.#rest as Uint8Array;
      const chunk = rest.subarray(0, left);
      this.#rest = rest.subarray(chunk.length);
      left -= chunk.length;
      this.onBytes(chunk);
      yield chunk;
    }
  }

  /** Stops reading. Not awaited: a client that hangs would hang here too. */
  close(): void {
    this.#chunks.return?.()?.catch(() => {});
  }
}
