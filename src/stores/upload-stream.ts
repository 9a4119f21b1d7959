/**
 * Bytes on their way in: counted against their limits, ended by a signal, cut into blocks. The same for every
 * store.
 */
import { badRequest, tooLarge } from "../problem.ts";
import { inlineBytesMax, PooledBlocks } from "./disk-worker-pool.ts";
import type { ByteStream, PutOptions } from "./store.ts";

type Limits = Omit<PutOptions, "type">;

/** A block where nothing else gives its size. */
export const blockBytes = 2 ** 20;

/**
 * Blocks of exactly `blockBytes`, the last one shorter; none of an empty source. There is memory for `atOnce`
 * of them: a block is overwritten by the one that comes `atOnce` later, and by whoever comes next once the
 * memory is given back. What is little takes none of it.
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
  }
  if (filled > 0) yield block().subarray(0, filled);
  const small = waiting.length === 1 ? (waiting[0] as Uint8Array) : Buffer.concat(waiting);
  if (small.length > 0) yield small;
}

/** The chunks of a source. One that waits for its next bytes forever is left by the signal all the same. */
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
      if (bytes > maxBytes) throw tooLarge(`The file is larger than the ${maxBytes} bytes allowed here.`);
      if (size !== undefined && bytes > size)
        throw badRequest(`The file is larger than the announced ${size} bytes.`);
      yield next.value;
    }
    if (size !== undefined && bytes < size)
      throw badRequest(`The file ends after ${bytes} of the announced ${size} bytes.`);
  } finally {
    signal?.removeEventListener("abort", onAbort);
    // Not waited for: a source that hangs would hang here too.
    chunks.return?.()?.catch(() => {});
  }
}
