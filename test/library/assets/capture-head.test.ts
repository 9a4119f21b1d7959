import { describe, expect, test } from "bun:test";
import { captureHead } from "../../../src/library/assets/files/derivatives.ts";

const KiB = 2 ** 10;

/** What is captured of a file that arrives in these chunks, which have to arrive as they were sent. */
async function captured(...chunks: Uint8Array[]): Promise<Uint8Array> {
  const { chunks: passed, head } = captureHead(new Blob(chunks as BlobPart[]).stream());
  expect(await new Response(passed as unknown as ReadableStream).bytes()).toEqual(
    new Uint8Array(Buffer.concat(chunks)),
  );
  return head();
}

const chunk = (bytes: number, value: number) => new Uint8Array(bytes).fill(value);

describe("the beginning of an upload", () => {
  test("is all of a file of up to 128 KiB", async () => {
    expect(await captured()).toHaveLength(0);
    expect(await captured(chunk(100 * KiB, 1))).toHaveLength(100 * KiB);
    const head = await captured(chunk(96 * KiB, 1), chunk(32 * KiB, 2));
    expect(Buffer.from(head).equals(Buffer.concat([chunk(96 * KiB, 1), chunk(32 * KiB, 2)]))).toBe(true);
  });

  test("is the first 64 KiB of a larger one", async () => {
    const head = await captured(chunk(48 * KiB, 1), chunk(80 * KiB, 2), chunk(1, 3));
    expect(Buffer.from(head).equals(Buffer.concat([chunk(48 * KiB, 1), chunk(16 * KiB, 2)]))).toBe(true);
  });
});
