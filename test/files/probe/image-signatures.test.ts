/** The images that are told without file-type are told as file-type does. */
import { expect, test } from "bun:test";
import { fileTypeFromBuffer } from "file-type";
import { sniff } from "../../../src/files/probe/content-sniffing.ts";
import * as made from "../../support/assets/media.ts";

const png = made.png(6, 4);
const animation = made.pngChunk("acTL", new Uint8Array(8));
const headerEnd = 33;
const files: [name: string, bytes: Uint8Array][] = [
  ["a PNG", png],
  ["a PNG with text before its pixels", made.png(6, 4, { chunks: [made.pngChunk("tEXt", "a\0acTL IDAT")] })],
  ["an animated PNG", made.png(6, 4, { chunks: [animation] })],
  ["a PNG with an animation behind its pixels", made.bytes(png, animation)],
  ["a PNG that is cut before its pixels", png.subarray(0, headerEnd)],
  ["a PNG without a header", made.bytes(made.pngSignature, png.subarray(headerEnd))],
  ["a PNG with a longer header", made.bytes(made.pngSignature, made.pngChunk("IHDR", new Uint8Array(14)))],
  ["a PNG with a damaged signature", made.bytes(png.subarray(0, 5), [0], png.subarray(6))],
  ["a JPEG", await made.jpeg(6, 4)],
  ["a JPEG-LS", Uint8Array.of(0xff, 0xd8, 0xff, 0xf7, 0, 11, 8, 0)],
];

test.each(files)("%s", async (_, bytes) => {
  const file = { size: bytes.length, read: (at: number, length: number) => bytes.subarray(at, at + length) };
  const found = await fileTypeFromBuffer(bytes);
  expect((await sniff(file, bytes)).mime).toBe(found?.mime ?? "application/octet-stream");
});
