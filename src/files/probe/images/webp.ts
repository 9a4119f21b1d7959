/** WebP: RIFF chunks of one image, or of an animation whose first frame is used. */
import { type Area, type Size, upright } from "../geometry.ts";
import { limits } from "../limits.ts";
import { ByteCompactor, type ParsedImage, requireValid, rgbaBytes, tagAt, viewOf } from "./container.ts";

const riffBytes = 12;
const chunkBytes = 8;
const extendedBytes = 10;
const frameBytes = 16;
const alphaFlag = 0x10;

/** Browsers disregard the length of the file, and show what there is of one that is cut. */
export function walkWebp(bytes: Uint8Array, size: number): ParsedImage {
  requireValid(bytes.length >= riffBytes + chunkBytes + extendedBytes, "no header");
  const view = viewOf(bytes);
  const end = Math.min(size, chunkBytes + view.getUint32(4, true));
  const first = tagAt(bytes, riffBytes);
  const described = ({ width, height }: Size) => ({
    width,
    height,
    // Browsers disregard the orientation in its Exif.
    orientation: upright,
    decodedBytes: rgbaBytes(width, height),
  });
  if (first === "VP8 " || first === "VP8L") {
    const output = new ByteCompactor(bytes);
    const isWhole = endOfData(view, riffBytes) <= bytes.length;
    const close = Math.min(endOfChunk(view, riffBytes), bytes.length);
    output.append(0, close);
    view.setUint32(4, close - chunkBytes, true);
    const size = first === "VP8 " ? lossySize(bytes, riffBytes) : losslessSize(bytes, riffBytes);
    return { ...described(size), isWhole, bytes: output.bytes };
  }
  requireValid(first === "VP8X", "an unknown first chunk");
  const canvas = {
    width: 1 + uint24(view, riffBytes + chunkBytes + 4),
    height: 1 + uint24(view, riffBytes + chunkBytes + 7),
  };
  return { ...described(canvas), ...still(bytes, Math.min(end, bytes.length), canvas) };
}

/** Builds a file of only the image chunks: the image itself, or the first frame of an animation. */
function still(
  bytes: Uint8Array,
  end: number,
  canvas: Size,
): Pick<ParsedImage, "bytes" | "frame" | "isWhole" | "profile"> {
  const view = viewOf(bytes);
  const output = new ByteCompactor(bytes);
  let at = riffBytes + chunkBytes + extendedBytes;
  let stop = end;
  let frame: Area | undefined;
  let [isDrawn, isWhole] = [false, false];
  let profile: Uint8Array | undefined;
  const flags = (bytes[riffBytes + chunkBytes] as number) & alphaFlag;
  output.append(0, at);
  while (at + chunkBytes <= stop) {
    const name = tagAt(bytes, at);
    const close = Math.min(endOfChunk(view, at), stop);
    const isComplete = endOfData(view, at) <= stop;
    const data = at + chunkBytes;
    if (name === "ANMF" && data + frameBytes <= close && !frame) {
      frame = readFrame(view, data);
      stop = close; // no frame behind this one
      at = data + frameBytes;
      continue;
    }
    if (name === "ICCP" && close - data <= limits.profileBytes) profile = bytes.slice(data, close);
    if (name === "ALPH" || name === "VP8 " || name === "VP8L") output.append(at, close);
    if (name.startsWith("VP8")) [isDrawn, isWhole] = [true, isComplete];
    at = close;
  }
  requireValid(isDrawn, "nothing is drawn");
  const { width, height } = frame ?? canvas;
  const header = viewOf(output.bytes);
  header.setUint32(4, output.bytes.length - chunkBytes, true);
  header.setUint32(riffBytes + chunkBytes, flags, true);
  setUint24(header, riffBytes + chunkBytes + 4, width - 1);
  setUint24(header, riffBytes + chunkBytes + 7, height - 1);
  const isPart = width < canvas.width || height < canvas.height;
  return { bytes: output.bytes, isWhole, frame: isPart ? frame : undefined, profile };
}

/** Of an `ANMF` chunk: its place is in units of two pixels. */
function readFrame(view: DataView, at: number): Area {
  return {
    x: 2 * uint24(view, at),
    y: 2 * uint24(view, at + 3),
    width: 1 + uint24(view, at + 6),
    height: 1 + uint24(view, at + 9),
  };
}

const endOfData = (view: DataView, at: number): number => at + chunkBytes + view.getUint32(at + 4, true);

/** Chunks are padded to an even length. */
const endOfChunk = (view: DataView, at: number): number => {
  const end = endOfData(view, at);
  return end + (end & 1);
};

function lossySize(bytes: Uint8Array, at: number): Size {
  const view = viewOf(bytes);
  requireValid(tagAt(bytes, at + chunkBytes + 3, 3) === "\x9d\x01\x2a", "no frame");
  return {
    width: view.getUint16(at + chunkBytes + 6, true) & 0x3fff,
    height: view.getUint16(at + chunkBytes + 8, true) & 0x3fff,
  };
}

function losslessSize(bytes: Uint8Array, at: number): Size {
  requireValid(bytes[at + chunkBytes] === 0x2f, "no frame");
  const bits = viewOf(bytes).getUint32(at + chunkBytes + 1, true);
  return { width: 1 + (bits & 0x3fff), height: 1 + ((bits >>> 14) & 0x3fff) };
}

const uint24 = (view: DataView, at: number): number =>
  view.getUint16(at, true) + 2 ** 16 * view.getUint8(at + 2);

function setUint24(view: DataView, at: number, value: number): void {
  view.setUint16(at, value & 0xffff, true);
  view.setUint8(at + 2, value >>> 16);
}
