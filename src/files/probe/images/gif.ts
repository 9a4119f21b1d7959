/** GIF: a screen descriptor, then blocks. A still is the first image block. */
import { type Area, upright } from "../geometry.ts";
import { ByteCompactor, type ParsedImage, requireValid, rgbaBytes, viewOf } from "./container.ts";

const block = { extension: 0x21, image: 0x2c, end: 0x3b, graphicControl: 0xf9 } as const;
const screenBytes = 13;

/** As in browsers, a file that is cut, or goes on as something else, shows what came before. */
export function walkGif(bytes: Uint8Array, size: number): ParsedImage {
  requireValid(bytes.length >= screenBytes, "no screen");
  const view = viewOf(bytes);
  let [width, height] = [view.getUint16(6, true), view.getUint16(8, true)];
  const output = new ByteCompactor(bytes);
  let at = screenBytes + tableBytes(bytes[10] as number);
  let frame: ParsedImage["frame"];
  output.append(0, Math.min(at, bytes.length));
  while (at < bytes.length) {
    const code = bytes[at];
    if (code === block.end) output.append(at, at + 1);
    if (code === block.end || (frame && code !== block.extension && code !== block.image)) break;
    requireValid(code === block.extension || code === block.image, "an unknown block");
    const isImage = code === block.image;
    // An image block has a 10-byte descriptor and a color table before its data; an extension has a one-byte
    // label.
    const data = isImage ? at + 11 + tableBytes(bytes[at + 9] ?? 0) : at + 2;
    const end = endOfData(bytes, data);
    const isDrawn = frame !== undefined;
    if (!isDrawn && isImage && data < bytes.length) {
      frame = readFrame(view, at);
      // As browsers do, since some programs write no size of the screen.
      [width, height] = [Math.max(width, frame.x + frame.width), Math.max(height, frame.y + frame.height)];
    }
    if (!isDrawn && (isImage || bytes[at + 1] === block.graphicControl)) output.append(at, end);
    at = end;
  }
  requireValid(frame !== undefined || bytes.length < size, "nothing is drawn");
  const screen = viewOf(output.bytes);
  screen.setUint16(6, width, true);
  screen.setUint16(8, height, true);
  const isPart = frame && (frame.width < width || frame.height < height);
  return {
    width,
    height,
    orientation: upright,
    frame: isPart ? frame : undefined,
    bytes: output.bytes,
    isWhole: at < bytes.length || bytes.length === size,
    decodedBytes: rgbaBytes(width, height),
  };
}

/** Of an image block at this place. */
function readFrame(view: DataView, at: number): Area {
  const numberAt = (offset: number) => view.getUint16(at + offset, true);
  const frame = { x: numberAt(1), y: numberAt(3), width: numberAt(5), height: numberAt(7) };
  requireValid(frame.width > 0 && frame.height > 0, "an empty frame");
  return frame;
}

/** Bytes of a color table. @param flags of the screen or of an image */
export const tableBytes = (flags: number): number => (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0);

/** The index after a sequence of length-prefixed sub-blocks. It ends with an empty one, or with the file. */
function endOfData(bytes: Uint8Array, from: number): number {
  let at = from;
  for (let length = bytes[at]; length !== undefined; length = bytes[at]) {
    at += 1 + length;
    if (length === 0) break;
  }
  return Math.min(at, bytes.length);
}
