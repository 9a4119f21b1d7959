/**
 * Pixels of an image, in the child. Bun.Image has no raw output, but its PNG always has eight bits a channel
 * and no interlacing, so a PNG is the way in and out, uncompressed.
 */
import { crc32, zlib } from "../zlib.ts";
import { requireValid } from "./container.ts";

/** RGBA, eight bits each, row by row. */
export interface Raster {
  width: number;
  height: number;
  pixels: Uint8Array;
  /** The content of its `iCCP` chunk. */
  profile?: Uint8Array;
}

const signature = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
/** Channels by the color type of the PNG. */
const channelsOf = new Map([
  [2, 3],
  [6, 4],
]);

export const rasterOf = async (image: Bun.Image): Promise<Raster> =>
  decodePng(await image.png({ compressionLevel: 0 }).bytes());

/** Decodes what `Bun.Image.png()` writes. Throws on any other PNG. */
export function decodePng(png: Uint8Array): Raster {
  const bytes = Buffer.from(png.buffer, png.byteOffset, png.length);
  const data: Uint8Array[] = [];
  let [width, height, channels] = [0, 0, 0];
  let profile: Uint8Array | undefined;
  for (let at = signature.length; at < bytes.length; ) {
    const length = bytes.readUInt32BE(at);
    const name = bytes.toString("latin1", at + 4, at + 8);
    const body = bytes.subarray(at + 8, at + 8 + length);
    if (name === "IHDR") {
      [width, height] = [body.readUInt32BE(0), body.readUInt32BE(4)];
      channels = channelsOf.get(body[9] as number) ?? 0;
      requireValid(body[8] === 8 && channels > 0 && body[12] === 0, "another kind of PNG");
    }
    if (name === "iCCP") profile = body;
    if (name === "IDAT") data.push(body);
    at += 12 + length;
  }
  const size = height * (1 + width * channels);
  const stream = Buffer.concat(data);
  const rows = storedBytes(stream, size) ?? zlib().inflateSync(stream, { maxOutputLength: size });
  requireValid(rows.length === size, "too few pixels");
  const pixels = toRgba(unfilter(rows, height, channels), channels);
  return { width, height, pixels, ...(profile && { profile }) };
}

const [zlibHeader, blockHeader] = [2, 5] as const;

/** The content of a zlib stream that is not compressed (RFC 1951, 3.2.4), in a third of the time; null otherwise. */
function storedBytes(stream: Buffer, size: number): Uint8Array | null {
  const content = new Uint8Array(size);
  for (let at = zlibHeader, to = 0; at + blockHeader <= stream.length; ) {
    const header = stream[at] as number;
    const length = stream.readUInt16LE(at + 1);
    const block = stream.subarray(at + blockHeader, at + blockHeader + length);
    if (header > 1 || block.length < length || to + length > size) return null;
    content.set(block, to);
    to += length;
    if (header === 1) return to === size ? content : null;
    at += blockHeader + length;
  }
  return null;
}

/** Reverses the filters of the rows (PNG, third edition, section 9). */
function unfilter(rows: Uint8Array, height: number, channels: number): Uint8Array {
  const stride = rows.length / height - 1;
  const pixels = new Uint8Array(stride * height);
  for (let row = 0; row < height; row++) {
    const filter = rows[row * (stride + 1)];
    const source = rows.subarray(row * (stride + 1) + 1, (row + 1) * (stride + 1));
    const target = pixels.subarray(row * stride, (row + 1) * stride);
    const above = row === 0 ? null : pixels.subarray((row - 1) * stride, row * stride);
    target.set(source);
    if (filter === 1) addLeft(target, channels);
    else if (filter === 2 && above) addAbove(target, above);
    else if (filter === 3) addMean(target, above, channels);
    else if (filter === 4) addPaeth(target, above, channels);
  }
  return pixels;
}

function addLeft(row: Uint8Array, channels: number): void {
  for (let at = channels; at < row.length; at++)
    row[at] = (row[at] as number) + (row[at - channels] as number);
}

function addAbove(row: Uint8Array, above: Uint8Array): void {
  for (let at = 0; at < row.length; at++) row[at] = (row[at] as number) + (above[at] as number);
}

function addMean(row: Uint8Array, above: Uint8Array | null, channels: number): void {
  for (let at = 0; at < row.length; at++) {
    const left = at < channels ? 0 : (row[at - channels] as number);
    row[at] = (row[at] as number) + ((left + (above ? (above[at] as number) : 0)) >> 1);
  }
}

function addPaeth(row: Uint8Array, above: Uint8Array | null, channels: number): void {
  for (let at = 0; at < row.length; at++) {
    const left = at < channels ? 0 : (row[at - channels] as number);
    const up = above ? (above[at] as number) : 0;
    const corner = at < channels || !above ? 0 : (above[at - channels] as number);
    row[at] = (row[at] as number) + paeth(left, up, corner);
  }
}

function paeth(left: number, up: number, corner: number): number {
  const estimate = left + up - corner;
  const [a, b, c] = [Math.abs(estimate - left), Math.abs(estimate - up), Math.abs(estimate - corner)];
  if (a <= b && a <= c) return left;
  return b <= c ? up : corner;
}

function toRgba(pixels: Uint8Array, channels: number): Uint8Array {
  if (channels === 4) return pixels;
  const rgba = new Uint8Array((pixels.length / 3) * 4).fill(255);
  for (let from = 0, to = 0; from < pixels.length; from += 3, to += 4) {
    rgba[to] = pixels[from] as number;
    rgba[to + 1] = pixels[from + 1] as number;
    rgba[to + 2] = pixels[from + 2] as number;
  }
  return rgba;
}

/** A PNG for Bun.Image, which compresses it again: fast rather than small. */
export function encodePng({ width, height, pixels, profile }: Raster): Uint8Array {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 6, 0, 0, 0], 8);
  const stride = width * 4;
  const rows = new Uint8Array(height * (stride + 1));
  for (let row = 0; row < height; row++)
    rows.set(pixels.subarray(row * stride, (row + 1) * stride), row * (stride + 1) + 1);
  return Buffer.concat([
    Uint8Array.from(signature),
    pngChunk("IHDR", header),
    ...(profile ? [pngChunk("iCCP", profile)] : []),
    pngChunk("IDAT", zlib().deflateSync(rows, { level: 1 })),
    pngChunk("IEND", new Uint8Array()),
  ]);
}

export function pngChunk(name: string, body: Uint8Array): Uint8Array {
  const bytes = Buffer.alloc(body.length + 12);
  bytes.writeUInt32BE(body.length, 0);
  bytes.write(name, 4, "latin1");
  bytes.set(body, 8);
  bytes.writeUInt32BE(crc32(bytes.subarray(4, 8 + body.length)), 8 + body.length);
  return bytes;
}
