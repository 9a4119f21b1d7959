/** A file as the child sees it: it asks for bytes and waits. */
import { limits } from "./limits.ts";

export interface BlockReader {
  readonly size: number;
  /** The bytes from `offset`, `length` of them or, at the end, fewer. */
  read(offset: number, length: number): Uint8Array;
}

/**
 * Asks in blocks and keeps the latest, since parsers read a few bytes at a time. Throws when a file is read
 * too often.
 * @param head bytes from its beginning that need not be asked for
 */
export function blockReader(
  size: number,
  readBytesMax: number,
  fetchBlock: (offset: number, length: number) => Uint8Array,
  head: Uint8Array = new Uint8Array(),
): BlockReader {
  const { blockBytes, blocks: blocksMax } = limits;
  const blocks = new Map<number, Uint8Array>();
  let bytesRead = 0;

  function loadBlock(index: number): Uint8Array {
    let bytes = blocks.get(index);
    if (!bytes) {
      bytesRead += blockBytes;
      if (bytesRead > readBytesMax) throw new RangeError("read limit exceeded");
      bytes = fetchBlock(index * blockBytes, Math.min(blockBytes, size - index * blockBytes));
      const oldest = blocks.keys().next();
      if (blocks.size >= blocksMax && !oldest.done) blocks.delete(oldest.value);
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
