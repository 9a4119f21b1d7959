/**
 * The pieces of a resumable upload. Each is an immutable object of its own, so a second writer of the same
 * offset cannot change what the first has stored, on any node. They are joined when the upload is finalized.
 */
import { untilAborted } from "../../../core/lib/until-aborted.ts";
import { conflict, notFound } from "../../../core/problem.ts";
import { segmentKey } from "../../../files/stores/keys.ts";
import type { ByteStream, ContentDigest, Store } from "../../../files/stores/store.ts";
import type { LibraryContext } from "../../context.ts";
import type { UploadRow, UploadSegment } from "../../rows.ts";

/** A resumable upload that has begun. */
export type StartedUpload = UploadRow & { length: number };

/** Bytes received without a gap: the offset at which the upload continues. */
export const offsetOf = (segments: UploadSegment[]): number => {
  const last = segments.at(-1);
  return last ? last.position + last.size : 0;
};

/**
 * Joins the pieces at the key of the asset.
 * @returns the digest of what is stored there
 * @throws {Problem} 409 if bytes are missing
 */
export async function joinSegments(
  ctx: LibraryContext,
  store: Store,
  { id, key, length }: StartedUpload,
): Promise<ContentDigest | "exists"> {
  const segments = await ctx.data.uploadSegments(id);
  const offset = offsetOf(segments);
  if (offset < length)
    throw conflict(`Only ${offset} of ${length} bytes were uploaded. Resume the upload, then finalize it.`);
  const type = "application/octet-stream";
  const sources = segments.map(({ name, size }) => ({ key: segmentKey(id, name), size }));
  const [first] = segments;
  const digest =
    first && segments.length === 1
      ? await store.copy(segmentKey(id, first.name), key, { type, digest: first })
      : await store.join(sources, key, { type });
  if (!digest) throw notFound("A part of this upload was deleted. Reserve a new upload.", "upload");
  return digest;
}

/** Cuts a request body into pieces, and ends them where the connection breaks: what has arrived is stored. */
export class SegmentReader {
  readonly #chunks: AsyncIterator<Uint8Array>;
  #rest: Uint8Array | null = null;
  #isDone = false;
  /** Why the body ended early; null if it has not. */
  error: unknown = null;

  /** @param onBytes gets the bytes of every piece, in order */
  constructor(
    source: ByteStream,
    readonly signal: AbortSignal,
    readonly onBytes: (bytes: Uint8Array) => void = () => {},
  ) {
    this.#chunks = source[Symbol.asyncIterator]();
  }

  /** Waits for the next bytes. False at the end of the body, or where it breaks off. */
  async hasMore(): Promise<boolean> {
    while (!this.#rest?.length && !this.#isDone) {
      try {
        const { done, value } = await untilAborted(this.#chunks.next(), this.signal);
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
