/** Upload streams of every store: checked against size limits, abortable, cut into blocks. */
import { freeChunk } from "../../core/lib/http/disposable-chunks.ts";
import { badRequest, fileTooLarge } from "../../core/problem.ts";
import { inlineBytesMax, PooledBlocks } from "./disk/worker-pool.ts";
import type { ByteStream, PutOptions } from "./store.ts";

type Limits = Omit<PutOptions, "type">;

/** Chunks that begin before this are held for inspections, see `limits.wholeBytes` of the probe. */
const heldBytes = inlineBytesMax;

/** Default block size. */
export const blockBytes = 2 ** 20;

/**
 * Cuts a stream into blocks of `blockBytes`, the last one shorter; an empty stream has none. A block's memory
 * is reused `bufferCount` blocks later, and after `memory` is disposed. A small source uses no pooled memory.
 */
export async function* splitIntoBlocks(
  source: ByteStream,
  options: Limits,
  blockBytes: number,
  bufferCount: number,
  memory = new PooledBlocks(),
): AsyncGenerator<Uint8Array> {
  const buffers: Uint8Array[] = [];
  const waiting: Uint8Array[] = [];
  let size = 0;
  let number = 0;
  let filled = 0;
  const block = () => (buffers[number % bufferCount] ??= memory.block(blockBytes));
  for await (const next of limitedChunks(source, options)) {
    waiting.push(next);
    size += next.length;
    if (size <= Math.min(inlineBytesMax, blockBytes)) continue;
    for (const chunk of waiting.splice(0))
      for (let at = 0; at < chunk.length; ) {
        const bytes = Math.min(chunk.length - at, blockBytes - filled);
        block().set(chunk.subarray(at, at + bytes), filled);
        at += bytes;
        filled += bytes;
        if (filled < blockBytes) continue;
        yield block();
        number++;
        filled = 0;
      }
    if (size - next.length >= heldBytes) freeChunk(next);
  }
  if (filled > 0) yield block().subarray(0, filled);
  const small = waiting.length === 1 ? (waiting[0] as Uint8Array) : Buffer.concat(waiting);
  if (small.length > 0) yield small;
}

/** Yields the chunks of a source within its limits. The signal also ends a source that never yields again. */
async function* limitedChunks(
  source: ByteStream,
  { maxBytes, size, signal }: Limits,
): AsyncGenerator<Uint8Array> {
  const chunks = source[Symbol.asyncIterator]();
  let interrupt = (_reason: unknown) => {};
  const onAbort = () => interrupt(signal?.reason);
  const nextChunk = (
    resolve: (next: IteratorResult<Uint8Array>) => void,
    reject: (reason: unknown) => void,
  ) => {
    interrupt = reject;
    chunks.next().then(resolve, reject);
  };
  signal?.addEventListener("abort", onAbort);
  let bytes = 0;
  try {
    for (;;) {
      signal?.throwIfAborted();
      const next = await new Promise(nextChunk);
      if (next.done) break;
      bytes += next.value.length;
      if (bytes > maxBytes) throw fileTooLarge(maxBytes);
      if (size !== undefined && bytes > size)
        throw badRequest(`The file is larger than the announced ${size} bytes.`);
      yield next.value;
    }
    if (size !== undefined && bytes < size)
      throw badRequest(`The file ends after ${bytes} of the announced ${size} bytes.`);
  } finally {
    signal?.removeEventListener("abort", onAbort);
    // Not awaited: a source that hangs would hang here too.
    chunks.return?.()?.catch(() => {});
  }
}
