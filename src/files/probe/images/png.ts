/** PNG: a sequence of chunks, each with its length, name and checksum. */
import { type Area, upright } from "../geometry.ts";
import { limits } from "../limits.ts";
import { readExif } from "../provenance/exif.ts";
import { crc32, zlib } from "../zlib.ts";
import { bt709, codedProfile, gamma, makeProfile, type Primaries } from "./color-profile.ts";
import { ByteCompactor, type ParsedImage, requireValid, rgbaBytes, tagAt, viewOf } from "./container.ts";
import { pngChunk } from "./raster.ts";

const signatureBytes = 8;
/** Chunks that render the image. Text can decompress to any size. */
const drawingChunks = new Set(["IHDR", "PLTE", "tRNS", "IDAT"]);
/** Those that say of which colors it is. */
const colorChunks = new Set(["cICP", "iCCP", "sRGB", "gAMA", "cHRM"]);
const emptyChunk = pngChunk("IEND", new Uint8Array());

interface Chunk {
  name: string;
  start: number;
  end: number;
  data: Uint8Array;
}

/** The first frame of an animation whose image is not one of its frames (PNG, third edition, 4.9). */
interface FirstFrame extends Area {
  data: Uint8Array[];
}

/** As in browsers, a file that is cut shows what came before. */
export function walkPng(bytes: Uint8Array, size: number): ParsedImage {
  const view = viewOf(bytes);
  const output = new ByteCompactor(bytes);
  output.append(0, signatureBytes);
  requireValid(bytes.length >= 33 && tagAt(bytes, 12) === "IHDR" && view.getUint32(8) === 13, "no header");
  const header = bytes.slice(16, 29);
  const [width, height] = [view.getUint32(16), view.getUint32(20)];
  const image: Omit<ParsedImage, "bytes"> = {
    width,
    height,
    orientation: upright,
    isWhole: true,
    decodedBytes: rgbaBytes(width, height),
  };
  const colors = new Map<string, Uint8Array>();
  let first: FirstFrame | null = null;
  let frames = 0;
  let [isDrawn, isAnimated, at] = [false, false, signatureBytes];
  for (const { name, start, end, data } of chunksOf(bytes)) {
    at = end;
    isAnimated ||= name === "acTL";
    if (name === "eXIf" && !isDrawn) image.orientation = readExif(data)?.orientation ?? upright;
    if (name === "fcTL" && frames++ === 0 && isDrawn && isAnimated) first = readFrame(data, width, height);
    if (name === "fdAT" && frames === 1) first?.data.push(data.slice(4));
    const isIntact = () => crc32(bytes.subarray(start + 4, end - 4)) === view.getUint32(end - 4);
    if (colorChunks.has(name) && !isDrawn && isIntact()) colors.set(name, data.slice());
    if (drawingChunks.has(name)) {
      requireValid(isIntact(), "a chunk is damaged");
      output.append(start, end);
    }
    isDrawn ||= name === "IDAT";
    if (name !== "IEND") continue;
    requireValid(isDrawn, "nothing is drawn");
    image.profile = profileOf(colors);
    if (!first || first.data.length === 0) {
      // Its checksum matters to no viewer.
      output.append(start, start + emptyChunk.length);
      output.bytes.set(emptyChunk, output.bytes.length - emptyChunk.length);
      return { ...image, bytes: output.bytes };
    }
    const { data: frameData, ...frame } = first;
    const frameHeader = Buffer.from(header);
    frameHeader.writeUInt32BE(frame.width, 0);
    frameHeader.writeUInt32BE(frame.height, 4);
    return { ...image, frame, bytes: withData(output.bytes, frameHeader, Buffer.concat(frameData)) };
  }
  if (bytes.length < size) return { ...image, isWhole: false, bytes: output.bytes };
  const isCutInData = at + 8 <= bytes.length && tagAt(bytes, at + 4) === "IDAT";
  const cut = isCutInData ? bytes.slice(at + 8) : new Uint8Array();
  image.profile = profileOf(colors);
  return { ...image, bytes: withData(output.bytes, header, completed(output.bytes, header, cut)) };
}

/** The complete chunks of a file. */
function* chunksOf(bytes: Uint8Array): Generator<Chunk> {
  const view = viewOf(bytes);
  for (let start = signatureBytes; start + 12 <= bytes.length; ) {
    const end = start + 12 + view.getUint32(start);
    if (end > bytes.length) return;
    yield { name: tagAt(bytes, start + 4), start, end, data: bytes.subarray(start + 8, end - 4) };
    start = end;
  }
}

/** Null if it is not within the image. */
function readFrame(data: Uint8Array, width: number, height: number): FirstFrame | null {
  if (data.length < 20) return null;
  const numberAt = (offset: number) => viewOf(data).getUint32(offset);
  const frame = { width: numberAt(4), height: numberAt(8), x: numberAt(12), y: numberAt(16) };
  const isInside = frame.x + frame.width <= width && frame.y + frame.height <= height;
  return isInside && frame.width > 0 && frame.height > 0 ? { ...frame, data: [] } : null;
}

/** The same file with other pixels. */
const withData = (png: Uint8Array, header: Uint8Array, data: Uint8Array): Uint8Array =>
  Buffer.concat([
    png.subarray(0, signatureBytes),
    pngChunk("IHDR", header),
    ...[...chunksOf(png)]
      .filter(({ name }) => name !== "IHDR" && name !== "IDAT")
      .map(({ start, end }) => png.subarray(start, end)),
    pngChunk("IDAT", data),
    emptyChunk,
  ]);

const channelsOf: Record<number, number> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };

/** The image data of a file that is cut, completed with empty rows. */
function completed(png: Uint8Array, header: Uint8Array, cut: Uint8Array): Uint8Array {
  const [bits = 0, type = 0, , , interlaced] = header.subarray(8);
  const data = [...chunksOf(png)].filter(({ name }) => name === "IDAT").map((chunk) => chunk.data);
  const view = viewOf(header);
  const stride = 1 + Math.ceil((view.getUint32(0) * bits * (channelsOf[type] ?? 0)) / 8);
  const rows = stride * view.getUint32(4);
  requireValid(interlaced === 0 && rows <= limits.restoredBytes, "the file is cut");
  const { constants, deflateSync, inflateSync } = zlib();
  const options = { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: rows };
  const found = inflateSync(Buffer.concat([...data, cut]), options);
  requireValid(found.length > stride, "nothing is drawn");
  const restored = Buffer.alloc(rows);
  restored.set(found);
  return deflateSync(restored, { level: 1 });
}

/** The first chunk of colors that counts (PNG, third edition, 4.3). */
function profileOf(chunks: ReadonlyMap<string, Uint8Array>): Uint8Array | undefined {
  const [coded, profile, exponent] = ["cICP", "iCCP", "gAMA"].map((name) => chunks.get(name));
  if (coded) return codedProfile(coded[0] ?? 1, coded[1] ?? 1);
  if (profile) return inflateProfile(profile.subarray(profile.indexOf(0) + 2));
  if (chunks.has("sRGB") || exponent?.length !== 4) return undefined;
  const inverse = viewOf(exponent).getUint32(0) / chunkUnit;
  const primaries = primariesIn(chunks.get("cHRM"));
  // What programs write for sRGB.
  if (inverse === 0 || (Math.abs(inverse * 2.2 - 1) < 0.01 && primaries === bt709)) return undefined;
  return makeProfile(primaries, gamma(1 / inverse));
}

/** Of the numbers in a `gAMA` or `cHRM` chunk. */
const chunkUnit = 100_000;

function primariesIn(chunk: Uint8Array | undefined): Primaries {
  if (chunk?.length !== 32) return bt709;
  const view = viewOf(chunk);
  const values = bt709.map((_, index) =>
    [0, 4].map((offset) => view.getUint32(8 * index + offset) / chunkUnit),
  ) as unknown as Primaries;
  const isUsual = values.flat().every((value, at) => Math.abs(value - (bt709.flat()[at] as number)) < 0.001);
  return isUsual || values.some(([, y]) => y <= 0) ? bt709 : values;
}

/** Undefined for one that is damaged, or would decompress to any size. */
function inflateProfile(compressed: Uint8Array): Uint8Array | undefined {
  try {
    return zlib().inflateSync(compressed, { maxOutputLength: limits.profileBytes });
  } catch {
    return undefined;
  }
}
