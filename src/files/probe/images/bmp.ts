/** BMP: two headers, then pixels. Nothing in it can unpack to more than it is. */
import { upright } from "../geometry.ts";
import { type ParsedImage, requireValid, rgbaBytes, viewOf } from "./container.ts";

const fileHeaderBytes = 14;
/** The length of the first version's header, whose sizes have 16 bits. */
const coreBytes = 12;
/** Bits of a pixel that the decoder knows: none with a palette. */
const decodedBits = new Set([24, 32]);

export function walkBmp(bytes: Uint8Array, size: number): ParsedImage {
  requireValid(bytes.length >= fileHeaderBytes + coreBytes, "no header");
  const view = viewOf(bytes);
  const at = fileHeaderBytes + 4;
  const isCore = view.getUint32(fileHeaderBytes, true) === coreBytes;
  const width = isCore ? view.getUint16(at, true) : view.getInt32(at, true);
  // A negative height: rows from the top down.
  const height = isCore ? view.getUint16(at + 2, true) : Math.abs(view.getInt32(at + 4, true));
  const bits = view.getUint16(isCore ? at + 6 : at + 10, true);
  return {
    width,
    height,
    orientation: upright,
    bytes,
    isWhole: bytes.length === size,
    decodedBytes: decodedBits.has(bits) ? rgbaBytes(width, height) : Number.POSITIVE_INFINITY,
  };
}
