/** PNG: a sequence of chunks, each with its length, name and checksum. */
import { crc32 } from "node:zlib";
import { ByteCompactor, type ParsedImage, requireValid, tagAt, viewOf } from "./container.ts";

const signatureBytes = 8;
/**
 * Chunks that render the image. Text and profiles can decompress to any size; further frames (fcTL, fdAT) are
 * not shown.
 */
const drawingChunks = new Set(["IHDR", "PLTE", "tRNS", "IDAT", "IEND"]);

export function walkPng(bytes: Uint8Array, size: number): ParsedImage {
  const view = viewOf(bytes);
  const output = new ByteCompactor(bytes);
  output.append(0, signatureBytes);
  requireValid(bytes.length >= 33 && tagAt(bytes, 12) === "IHDR" && view.getUint32(8) === 13, "no header");
  const width = view.getUint32(16);
  const height = view.getUint32(20);
  let isDrawn = false;
  for (let at = signatureBytes; at + 12 <= bytes.length; ) {
    const end = at + 12 + view.getUint32(at);
    const name = tagAt(bytes, at + 4);
    if (end > bytes.length) break;
    if (drawingChunks.has(name)) {
      requireValid(crc32(bytes.subarray(at + 4, end - 4)) === view.getUint32(end - 4), "a chunk is damaged");
      output.append(at, end);
    }
    isDrawn ||= name === "IDAT";
    if (name === "IEND") {
      requireValid(isDrawn, "nothing is drawn");
      return { width, height, bytes: output.bytes, isWhole: true };
    }
    at = end;
  }
  requireValid(bytes.length < size, "the file is cut");
  return { width, height, bytes: output.bytes, isWhole: false };
}
