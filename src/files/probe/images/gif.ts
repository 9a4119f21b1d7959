/** GIF: a screen descriptor, then blocks. A still is the first image block. */
import { ByteCompactor, type ParsedImage, requireValid, viewOf } from "./container.ts";

const block = { extension: 0x21, image: 0x2c, end: 0x3b, graphicControl: 0xf9 } as const;
const screenBytes = 13;

export function walkGif(bytes: Uint8Array, size: number): ParsedImage {
  requireValid(bytes.length >= screenBytes, "no screen");
  const view = viewOf(bytes);
  const width = view.getUint16(6, true);
  const height = view.getUint16(8, true);
  const output = new ByteCompactor(bytes);
  let at = screenBytes + tableBytes(bytes[10] as number);
  let isDrawn = false;
  const result = (isWhole: boolean): ParsedImage => ({
    width,
    height,
    bytes: output.bytes,
    isWhole,
    isFrame: true,
  });
  output.append(0, Math.min(at, bytes.length));
  while (at < bytes.length) {
    const code = bytes[at];
    if (code === block.end) {
      requireValid(isDrawn, "nothing is drawn");
      output.append(at, at + 1);
      return result(true);
    }
    requireValid(code === block.extension || code === block.image, "an unknown block");
    const isImage = code === block.image;
    // An image block has a 10-byte descriptor and a color table before its data; an extension has a one-byte
    // label.
    const data = isImage ? at + 11 + tableBytes(bytes[at + 9] ?? 0) : at + 2;
    const end = endOfData(bytes, data);
    if (end === null) break;
    if (!isDrawn && isImage) {
      requireValid(view.getUint16(at + 5, true) > 0 && view.getUint16(at + 7, true) > 0, "an empty frame");
      requireValid(
        view.getUint16(at + 1, true) + view.getUint16(at + 5, true) <= width,
        "a frame beside the screen",
      );
      requireValid(
        view.getUint16(at + 3, true) + view.getUint16(at + 7, true) <= height,
        "a frame beside the screen",
      );
    }
    if (!isDrawn && (isImage || bytes[at + 1] === block.graphicControl)) output.append(at, end);
    isDrawn ||= isImage;
    at = end;
  }
  requireValid(bytes.length < size, "the file is cut");
  return result(false);
}

/** Bytes of a color table. @param flags of the screen or of an image */
export const tableBytes = (flags: number): number => (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0);

/** Returns the index after a sequence of length-prefixed sub-blocks, which ends with an empty one. */
function endOfData(bytes: Uint8Array, from: number): number | null {
  let at = from;
  for (let length = bytes[at]; length !== undefined; length = bytes[at]) {
    at += 1 + length;
    if (length === 0) return at;
  }
  return null;
}
