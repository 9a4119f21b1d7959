/** What becomes of the chunks of an upload once a store has copied them. */
import { describe, expect, test } from "bun:test";
import { markDisposable } from "../../../src/core/lib/http/disposable-chunks.ts";
import { blockBytes, splitIntoBlocks } from "../../../src/files/stores/upload-stream.ts";
import { bytesOf } from "../../support/stores/store-sources.ts";

const chunkBytes = 64 * 1024;
const file = new Uint8Array(bytesOf(2 * blockBytes + 3 * chunkBytes + 5));

/** Copies of the parts of the file, as they would come from a socket. */
function chunksOf(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer>[] {
  const count = Math.ceil(bytes.length / chunkBytes);
  return Array.from({ length: count }, (_, at) => bytes.slice(at * chunkBytes, (at + 1) * chunkBytes));
}

async function* inTurn(chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* chunks;
}

/** What the blocks hold, copied before the next one is asked for. */
async function blocksOf(chunks: readonly Uint8Array[], bytes = blockBytes): Promise<Buffer> {
  const blocks: Buffer[] = [];
  for await (const block of splitIntoBlocks(inTurn(chunks), { maxBytes: file.length }, bytes, 2))
    blocks.push(Buffer.from(block));
  return Buffer.concat(blocks);
}

describe("chunks of an upload", () => {
  test.each([chunkBytes / 4, blockBytes])(
    "are freed once they are copied to blocks of %i, except the first, which are read again",
    async (bytes) => {
      const chunks = chunksOf(file);
      const heads = chunks.slice(0, 2).map((chunk) => chunk.slice());
      for (const chunk of chunks) markDisposable(chunk);
      expect((await blocksOf(chunks, bytes)).equals(file)).toBe(true);
      expect(chunks.slice(0, 2)).toEqual(heads);
      expect(chunks.slice(2).every(({ buffer }) => buffer.detached)).toBe(true);
    },
  );

  test("stay where nothing says that they may be freed", async () => {
    const chunks = chunksOf(file);
    expect((await blocksOf(chunks)).equals(file)).toBe(true);
    expect(Buffer.concat(chunks).equals(file)).toBe(true);
  });

  test("stay where they are parts of others", async () => {
    const whole = file.slice();
    markDisposable(whole);
    const parts = Array.from({ length: 4 }, (_, at) =>
      whole.subarray(at * blockBytes, (at + 1) * blockBytes),
    );
    expect((await blocksOf(parts)).equals(file)).toBe(true);
    expect(whole).toEqual(file);
  });
});
