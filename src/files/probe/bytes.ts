/** Synchronous reads of the inspected file, in the child: each missing block is requested from the parent. */
import { Cache } from "../../core/lib/cache.ts";
import { limits } from "./limits.ts";

export interface BlockReader {
  readonly size: number;
  /** Returns `length` bytes from `offset`, fewer at the end of the file. */
  read(offset: number, length: number): Uint8Array;
}

/**
 * Reads in blocks and caches the latest ones, since parsers read a few bytes at a time. Throws a RangeError
 * once more than `readBytesMax` bytes were requested.
 * @param head the first bytes of the file, if already known
 */
export function blockReader(
  size: number,
  readBytesMax: number,
  fetchBlock: (offset: number, length: number) => Uint8Array,
  head: Uint8Array = new Uint8Array(),
): BlockReader {
  const { blockBytes, blocks: blocksMax } = limits;
  const blocks = new Cache<number, Uint8Array>({ max: blocksMax, bytesMax: blocksMax * blockBytes });
  let bytesRead = 0;

  function loadBlock(index: number): Uint8Array {
    let bytes = blocks.get(index);
    if (!bytes) {
      bytesRead += blockBytes;
      if (bytesRead > readBytesMax) throw new RangeError("read limit exceeded");
      bytes = fetchBlock(index * blockBytes, Math.min(blockBytes, size - index * blockBytes));
      blocks.set(index, bytes);
    }
    return bytes;
  }

  return {
    size,
    read(offset, length) {
      const end = Math.min(offset + length, size);
      if (end <= head.length) return head.subarray(offset, end);
      const bytes = new Uint8Array(Math.max(0, end - offset));
      for (let at = offset; at < end; ) {
        const index = Math.floor(at / blockBytes);
        const start = at - index * blockBytes;
        const part = loadBlock(index).subarray(start, start + end - at);
        if (part.length === 0) throw new RangeError("the file shrank while it was read");
        bytes.set(part, at - offset);
        at += part.length;
      }
      return bytes;
    },
  };
}

/** A file that is a part of another one. */
export const partOf = (file: BlockReader, start: number, size: number): BlockReader => ({
  size,
  read: (offset, length) => file.read(start + offset, Math.max(0, Math.min(length, size - offset))),
});
