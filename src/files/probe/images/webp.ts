/** WebP: RIFF chunks of one image, or of an animation whose first frame is used. */
import { ByteCompactor, type ParsedImage, requireValid, tagAt, viewOf } from "./container.ts";

const riffBytes = 12;
const chunkBytes = 8;
const extendedBytes = 10;
const frameBytes = 16;
const alphaFlag = 0x10;

export function walkWebp(bytes: Uint8Array, size: number): ParsedImage {
  requireValid(bytes.length >= riffBytes + chunkBytes + extendedBytes, "no header");
  const view = viewOf(bytes);
  const end = chunkBytes + view.getUint32(4, true);
  requireValid(end <= size, "the file is cut");
  const first = tagAt(bytes, riffBytes);
  const isWhole = bytes.length >= end;
  if (first === "VP8 " || first === "VP8L") {
    const output = new ByteCompactor(bytes);
    const close = Math.min(endOfChunk(view, riffBytes), bytes.length);
    output.append(0, close);
    view.setUint32(4, close - chunkBytes, true);
    return {
      ...(first === "VP8 " ? lossySize(bytes, riffBytes) : losslessSize(bytes, riffBytes)),
      bytes: output.bytes,
      isWhole,
    };
  }
  requireValid(first === "VP8X", "an unknown first chunk");
  const width = 1 + uint24(view, riffBytes + chunkBytes + 4);
  const height = 1 + uint24(view, riffBytes + chunkBytes + 7);
  return { width, height, isWhole, ...still(bytes, Math.min(end, bytes.length), { width, height }) };
}

/** Builds a file of only the image chunks: the image itself, or the first frame of an animation. */
function still(
  bytes: Uint8Array,
  end: number,
  canvas: { width: number; height: number },
): Pick<ParsedImage, "bytes" | "isFrame"> {
  const view = viewOf(bytes);
  const output = new ByteCompactor(bytes);
  let at = riffBytes + chunkBytes + extendedBytes;
  let stop = end;
  let frame = canvas;
  let isDrawn = false;
  const hasAlpha = ((bytes[riffBytes + chunkBytes] as number) & alphaFlag) !== 0;
  output.append(0, at);
  while (at + chunkBytes <= stop) {
    const name = tagAt(bytes, at);
    const close = Math.min(endOfChunk(view, at), stop);
    if (name === "ANMF" && at + chunkBytes + frameBytes <= close && frame === canvas) {
      frame = { width: 1 + uint24(view, at + chunkBytes + 6), height: 1 + uint24(view, at + chunkBytes + 9) };
      stop = close; // no frame behind this one
      at += chunkBytes + frameBytes;
      continue;
    }
    if (name === "ALPH" || name === "VP8 " || name === "VP8L") output.append(at, close);
    isDrawn ||= name.startsWith("VP8");
    at = close;
  }
  requireValid(isDrawn, "nothing is drawn");
  const header = viewOf(output.bytes);
  header.setUint32(4, output.bytes.length - chunkBytes, true);
  header.setUint32(riffBytes + chunkBytes, hasAlpha ? alphaFlag : 0, true);
  setUint24(header, riffBytes + chunkBytes + 4, frame.width - 1);
  setUint24(header, riffBytes + chunkBytes + 7, frame.height - 1);
  return frame === canvas ? { bytes: output.bytes } : { bytes: output.bytes, isFrame: true };
}

/** Chunks are padded to an even length. */
const endOfChunk = (view: DataView, at: number): number => {
  const length = view.getUint32(at + 4, true);
  return at + chunkBytes + length + (length & 1);
};

function lossySize(bytes: Uint8Array, at: number): { width: number; height: number } {
  const view = viewOf(bytes);
  requireValid(tagAt(bytes, at + chunkBytes + 3, 3) === "\x9d\x01\x2a", "no frame");
  return {
    width: view.getUint16(at + chunkBytes + 6, true) & 0x3fff,
    height: view.getUint16(at + chunkBytes + 8, true) & 0x3fff,
  };
}

function losslessSize(bytes: Uint8Array, at: number): { width: number; height: number } {
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
