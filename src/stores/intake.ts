/** Bytes on their way in: counted against their limits, ended by a signal. The same for every store. */
import { badRequest, tooLarge } from "../problem.ts";
import type { PutOptions, Source } from "./store.ts";

/** The chunks of a source. One that waits for its next bytes forever is left by the signal all the same. */
export async function* intake(source: Source, { maxBytes, size, signal }: PutOptions): AsyncGenerator<Uint8Array> {
  const chunks = source[Symbol.asyncIterator]();
  let interrupt = (_reason: unknown) => {};
  const onAbort = () => interrupt(signal?.reason);
  const nextChunk = (resolve: (next: IteratorResult<Uint8Array>) => void, reject: (reason: unknown) => void) => {
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
      if (bytes > maxBytes) throw tooLarge(`The file is larger than the ${maxBytes} bytes that are taken here.`);
      if (size !== undefined && bytes > size) throw badRequest(`The file is larger than the ${size} bytes that were announced.`);
      yield next.value;
    }
    if (size !== undefined && bytes < size) throw badRequest(`The file ends after ${bytes} of the ${size} bytes that were announced.`);
  } finally {
    signal?.removeEventListener("abort", onAbort);
    // Not waited for: a source that hangs would hang here too.
    chunks.return?.()?.catch(() => {});
  }
}
