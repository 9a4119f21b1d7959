/**
 * Files of every kind, made byte by byte, so that a test can make them wrong in one place: images, audio,
 * video, a PDF, zips. All files are generated.
 */
import { crc32, deflateRawSync, deflateSync, constants as zlib } from "node:zlib";

export const bytes = (...parts: (string | number | number[] | Uint8Array)[]): Uint8Array<ArrayBuffer> =>
  new Uint8Array(
    Buffer.concat(
      parts.map((part) =>
        typeof part === "number" ? Buffer.from([part]) : Buffer.from(part as string, "latin1"),
      ),
    ),
  );

const numbers = (width: 1 | 2 | 4, isLittle: boolean) => (value: number) => {
  const buffer = Buffer.alloc(width);
  if (isLittle) buffer.writeUIntLE(value, 0, width);
  else buffer.writeUIntBE(value, 0, width);
  return buffer;
};
export const be16 = numbers(2, false);
export const be32 = numbers(4, false);
export const le16 = numbers(2, true);
export const le32 = numbers(4, true);

/** A zlib stream of zeros, half a gigabyte of them in little time and memory. */
export const zeros = (size: number): Uint8Array => packedAgain(Buffer.alloc(2 ** 20), size);

/** A zlib stream that repeats a block up to a size in bytes; the block is compressed once. */
export function packedAgain(block: Uint8Array, size: number): Uint8Array {
  const packed = (part: Uint8Array) => deflateRawSync(part, { finishFlush: zlib.Z_FULL_FLUSH });
  const rest = size % block.length;
  const end = [1, 0, 0, 0xff, 0xff];
  return bytes(
    ...Array(Math.floor(size / block.length)).fill(packed(block)),
    ...(rest ? [packed(block.subarray(0, rest))] : []),
    end,
  );
}

/** The same for PNG: with a header and the checksum. */
export const zlibZeros = (size: number): Uint8Array =>
  bytes([0x78, 0x9c], zeros(size), be32((size % 65521) * 2 ** 16 + 1));

export const zerosCrc = (size: number): number => crcAgain(Buffer.alloc(2 ** 20), size);

export function crcAgain(block: Uint8Array, size: number): number {
  let crc = 0;
  for (let left = size; left > 0; left -= block.length)
    crc = crc32(block.subarray(0, Math.min(left, block.length)), crc);
  return crc;
}

// --- Images

export const pngSignature = bytes([0x89], "PNG\r\n", [0x1a], "\n");

export function pngChunk(name: string, data: Uint8Array | string = ""): Uint8Array {
  const named = bytes(name, data);
  return bytes(be32(named.length - 4), named, be32(crc32(named)));
}

/** Red, true colour. `chunks` stand before the data; `data` takes the place of the pixels. */
export function png(
  width: number,
  height: number,
  { chunks = [] as Uint8Array[], data = null as Uint8Array | null } = {},
): Uint8Array {
  const header = bytes(be32(width), be32(height), [8, 2, 0, 0, 0]);
  return bytes(
    ...[pngSignature, pngChunk("IHDR", header), ...chunks],
    ...[pngChunk("IDAT", data ?? redRows(width, height)), pngChunk("IEND")],
  );
}

function redRows(width: number, height: number): Uint8Array {
  const row = Buffer.concat([Buffer.from([0]), Buffer.alloc(width * 3, Buffer.from([255, 0, 0]))]);
  return deflateSync(Buffer.concat(Array(height).fill(row)));
}

/** Nothing that a compressor likes. */
export function noisyPng(width: number, height: number): Uint8Array {
  const rows = Buffer.alloc(height * (1 + width * 3));
  let state = 1;
  for (let at = 0; at < rows.length; at++) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    rows[at] = at % (1 + width * 3) === 0 ? 0 : state >>> 24;
  }
  return png(width, height, { data: deflateSync(rows, { level: 1 }) });
}

/** White, with red boxes. */
export function boxesPng(
  width: number,
  height: number,
  boxes: readonly (readonly [x: number, y: number, w: number, h: number])[],
): Uint8Array {
  const rows = Buffer.alloc(height * (1 + width * 3), 255);
  for (let y = 0; y < height; y++) rows[y * (1 + width * 3)] = 0;
  for (const [left, top, w, h] of boxes)
    for (let y = top; y < top + h; y++)
      for (let x = left; x < left + w; x++)
        rows.fill(0, y * (1 + width * 3) + 2 + x * 3, y * (1 + width * 3) + 4 + x * 3);
  return png(width, height, { data: deflateSync(rows) });
}

export async function jpeg(
  width: number,
  height: number,
  options: { progressive?: boolean } = {},
): Promise<Uint8Array> {
  return new Bun.Image(png(width, height)).jpeg(options).bytes();
}

/** A segment of a JPEG, which belongs behind its first two bytes. */
export const jpegSegment = (code: number, data: Uint8Array | string): Uint8Array =>
  bytes([0xff, code], be16(2 + data.length), data);

export const withSegment = (jpeg: Uint8Array, segment: Uint8Array): Uint8Array =>
  bytes(jpeg.subarray(0, 2), segment, jpeg.subarray(2));

/** How a camera was held: 6 is a quarter turn. */
export const orientation = (value: number): Uint8Array =>
  jpegSegment(
    0xe1,
    bytes(
      "Exif\0\0MM",
      be16(42),
      be32(8),
      be16(1),
      be16(0x0112),
      be16(3),
      be32(1),
      be16(value),
      be16(0),
      be32(0),
    ),
  );

/** Two colours, each pixel a code of its own: what a GIF is without compression. */
export function gif(width: number, height: number, frames = 1): Uint8Array {
  const screen = bytes("GIF89a", le16(width), le16(height), [0x80, 0, 0, 255, 0, 0, 0, 0, 255]);
  return bytes(
    screen,
    ...Array(frames).fill(bytes([0x21, 0xf9, 4, 0, 10, 0, 0, 0], gifFrame(width, height))),
    [0x3b],
  );
}

interface Corner {
  x: number;
  y: number;
}
interface Canvas {
  width: number;
  height: number;
}

/** A GIF whose only frame is a red square on its canvas. */
export const partGif = ({ width, height }: Canvas, { x, y }: Corner, side: number): Uint8Array =>
  bytes(
    bytes("GIF89a", le16(width), le16(height), [0x80, 0, 0, 255, 0, 0, 0, 0, 255]),
    gifFrame(side, side, { x, y }),
    [0x3b],
  );

/** An animation whose image is not one of its frames: the first is a red square. */
export function partPng({ width, height }: Canvas, { x, y }: Corner, side: number): Uint8Array {
  const frame = (sequence: number) =>
    pngChunk(
      "fcTL",
      bytes(be32(sequence), be32(side), be32(side), be32(x), be32(y), be16(10), be16(10), [0, 0]),
    );
  const header = bytes(be32(width), be32(height), [8, 2, 0, 0, 0]);
  const white = Buffer.concat(Array(height).fill(bytes([0], Buffer.alloc(width * 3, 255))));
  return bytes(
    ...[pngSignature, pngChunk("IHDR", header), pngChunk("acTL", bytes(be32(1), be32(0)))],
    ...[pngChunk("IDAT", deflateSync(white)), frame(0)],
    ...[pngChunk("fdAT", bytes(be32(1), redRows(side, side))), pngChunk("IEND")],
  );
}

function gifFrame(width: number, height: number, { x, y }: Corner = { x: 0, y: 0 }): Uint8Array {
  const [clear, end] = [4, 5];
  const codes = [clear];
  // Codes would grow after four of them; a clear code before that keeps them at three bits.
  for (let pixel = 0; pixel < width * height; pixel++) codes.push(...(pixel % 2 === 1 ? [0, clear] : [0]));
  codes.push(end);
  const packed = Buffer.alloc(Math.ceil((codes.length * 3) / 8));
  codes.forEach((code, index) => {
    for (let bit = 0; bit < 3; bit++) {
      const place = index * 3 + bit;
      if (code & (1 << bit)) packed.writeUInt8(packed.readUInt8(place >> 3) | (1 << (place & 7)), place >> 3);
    }
  });
  const blocks: Uint8Array[] = [];
  for (let at = 0; at < packed.length; at += 255) {
    const block = packed.subarray(at, at + 255);
    blocks.push(bytes(block.length, block));
  }
  return bytes([0x2c], le16(x), le16(y), le16(width), le16(height), [0, 2], ...blocks, [0]);
}

export async function webp(width: number, height: number): Promise<Uint8Array> {
  return new Bun.Image(png(width, height)).webp().bytes();
}

const riffChunk = (name: string, data: Uint8Array): Uint8Array =>
  bytes(name, le32(data.length), data, data.length % 2 ? [0] : []);
const le24 = (value: number): Uint8Array => le32(value).subarray(0, 3);

/** Frames of one colour, as large as the picture. */
export const animatedWebp = async (width: number, height: number, frames = 2): Promise<Uint8Array> =>
  animation({ width, height }, Array(frames).fill(await webpFrame({ x: 0, y: 0 }, width, height)));

/** An animation whose only frame is a red square on its canvas. The place is of even numbers. */
export const partWebp = async (canvas: Canvas, corner: Corner, side: number): Promise<Uint8Array> =>
  animation(canvas, [await webpFrame(corner, side, side)]);

async function webpFrame({ x, y }: Corner, width: number, height: number): Promise<Uint8Array> {
  const head = bytes(le24(x / 2), le24(y / 2), le24(width - 1), le24(height - 1), le24(100), [0]);
  return riffChunk("ANMF", bytes(head, (await webp(width, height)).subarray(12)));
}

function animation({ width, height }: Canvas, frames: Uint8Array[]): Uint8Array {
  const content = bytes(
    "WEBP",
    riffChunk("VP8X", bytes([2, 0, 0, 0], le24(width - 1), le24(height - 1))),
    riffChunk("ANIM", bytes(le32(0), le16(0))),
    ...frames,
  );
  return bytes("RIFF", le32(content.length), content);
}

export const svg =
  '<?xml version="1.0"?>\n<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"><rect width="8" height="8"/></svg>\n';
export const html = "<!doctype html>\n<title>Report</title>\n<h1>All tests pass</h1>\n";

// --- Audio and video

export interface WavClaims {
  /** Of the whole, in the first header. */
  riffSize?: number;
  dataSize?: number;
  sampleRate?: number;
}

export function wav(seconds: number, { riffSize, dataSize, sampleRate = 8000 }: WavClaims = {}): Uint8Array {
  const data = Buffer.alloc(seconds * 8000 * 2);
  const format = bytes(le16(1), le16(1), le32(sampleRate), le32(sampleRate * 2), le16(2), le16(16));
  return bytes(
    "RIFF",
    le32(riffSize ?? 36 + data.length),
    "WAVEfmt ",
    le32(16),
    format,
    "data",
    le32(dataSize ?? data.length),
    data,
  );
}

/** Silence: frames of MPEG-1 Layer III, 128 kbit/s, 44.1 kHz, of 417 bytes and 1152 samples each. */
export const mp3 = (frames: number): Uint8Array =>
  bytes(...Array(frames).fill(bytes([0xff, 0xfb, 0x90, 0x00], new Uint8Array(413))));

/** Silence as FLAC: one channel of 16 bits, in frames of 4096 samples with a constant value (RFC 9639). */
export function flac(frames: number, { sampleRate = 44_100, samples = frames * 4096 } = {}): Uint8Array {
  const format = (sampleRate * 2 ** 12 + 15 * 2 ** 4) >>> 0;
  const info = bytes(
    be16(4096),
    be16(4096),
    new Uint8Array(6),
    be32(format),
    be32(samples),
    new Uint8Array(16),
  );
  const frame = (number: number) => {
    const header = [0xff, 0xf8, 0xc0, 0x08, number];
    return bytes(header, crc8(header), new Uint8Array(14));
  };
  return bytes(
    "fLaC",
    [0x80, 0, 0, info.length],
    info,
    ...Array.from({ length: frames }, (_, n) => frame(n)),
  );
}

function crc8(data: number[]): number {
  let crc = 0;
  for (const byte of data) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = ((crc << 1) ^ (crc & 0x80 ? 7 : 0)) & 0xff;
  }
  return crc;
}

/** A frame of AAC in ADTS (ISO/IEC 13818-7), 44.1 kHz, that is as long as it claims to be or shorter. */
export const adtsFrame = (length: number): Uint8Array =>
  bytes([0xff, 0xf1, 0x50, 0x80, length >> 3, ((length & 7) << 5) | 0x1f, 0xfc], new Uint8Array(25));

/** One picture of 64 by 48 red pixels, as H.264: its parameters, and the picture. */
const h264 = {
  sps: Buffer.from("6742c00adc47b011000003000100000300020f122780", "hex"),
  pps: Buffer.from("68ce0f2c80", "hex"),
  picture: Buffer.from("65888404bc4628000a8bc7000128d8e0002fad2727275d75d75d75d780", "hex"),
};

export const box = (name: string, ...parts: Uint8Array[]): Uint8Array => {
  const content = bytes(...parts);
  return bytes(be32(8 + content.length), name, content);
};
const fullBox = (name: string, flags: number, ...parts: Uint8Array[]): Uint8Array =>
  box(name, be32(flags), ...parts);

export interface Mp4Claims {
  timescale?: number;
  /** In units of the timescale, wherever a duration is written. */
  duration?: number;
  width?: number;
  height?: number;
  /** The URL of its data in a file that only refers to it. */
  reference?: string;
  sound?: boolean;
}

/** One second of the red picture, or of nothing to be heard. */
export function mp4({
  timescale = 1000,
  duration = 1000,
  width = 64,
  height = 48,
  reference,
  sound = false,
}: Mp4Claims = {}): Uint8Array {
  const sample = bytes(be32(h264.picture.length), h264.picture);
  const ftyp = box("ftyp", bytes("isom"), be32(0x200), bytes("isomiso2avc1mp41"));
  const moov = (offset: number) => {
    const matrix = bytes(...[0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000].map(be32));
    const mvhd = fullBox(
      "mvhd",
      0,
      be32(0),
      be32(0),
      be32(timescale),
      be32(duration),
      be32(0x10000),
      be16(0x100),
      new Uint8Array(10),
      matrix,
      new Uint8Array(24),
      be32(2),
    );
    const tkhd = fullBox(
      "tkhd",
      3,
      be32(0),
      be32(0),
      be32(1),
      be32(0),
      be32(duration),
      new Uint8Array(16),
      matrix,
      be16(width),
      be16(0),
      be16(height),
      be16(0),
    );
    const mdhd = fullBox("mdhd", 0, be32(0), be32(0), be32(timescale), be32(duration), be16(0x55c4), be16(0));
    const hdlr = fullBox(
      "hdlr",
      0,
      be32(0),
      bytes(sound ? "soun" : "vide"),
      new Uint8Array(12),
      bytes("it\0"),
    );
    const url = reference === undefined ? fullBox("url ", 1) : fullBox("url ", 0, bytes(reference, 0));
    const dinf = box("dinf", fullBox("dref", 0, be32(1), url));
    const stbl = box(
      "stbl",
      fullBox("stsd", 0, be32(1), sound ? soundEntry() : pictureEntry(width, height)),
      fullBox("stts", 0, be32(1), be32(1), be32(duration)),
      fullBox("stsc", 0, be32(1), be32(1), be32(1), be32(1)),
      fullBox("stsz", 0, be32(0), be32(1), be32(sample.length)),
      fullBox("stco", 0, be32(1), be32(offset)),
    );
    const header = sound ? fullBox("smhd", 0, be32(0)) : fullBox("vmhd", 1, new Uint8Array(8));
    return box("moov", mvhd, box("trak", tkhd, box("mdia", mdhd, hdlr, box("minf", header, dinf, stbl))));
  };
  const offset = ftyp.length + moov(0).length + 8;
  return bytes(ftyp, moov(offset), box("mdat", sample));
}

function pictureEntry(width: number, height: number): Uint8Array {
  const { sps, pps } = h264;
  const avcC = box(
    "avcC",
    bytes(1, sps.subarray(1, 4), [0xff, 0xe1], be16(sps.length), sps, [1], be16(pps.length), pps),
  );
  const resolution = bytes(be32(0x480000), be32(0x480000));
  return box(
    "avc1",
    new Uint8Array(6),
    be16(1),
    new Uint8Array(16),
    be16(width),
    be16(height),
    resolution,
    be32(0),
    be16(1),
    new Uint8Array(32),
    be16(24),
    be16(0xffff),
    avcC,
  );
}

const soundEntry = (): Uint8Array =>
  box("sowt", new Uint8Array(6), be16(1), new Uint8Array(8), be16(1), be16(16), be32(0), be16(8000), be16(0));

/** An element of EBML, its length in eight bytes. */
const element = (id: number[], ...parts: Uint8Array[]): Uint8Array => {
  const content = bytes(...parts);
  return bytes(id, [1, 0, 0, 0], be32(content.length), content);
};
const float64 = (value: number): Uint8Array => {
  const buffer = Buffer.alloc(8);
  buffer.writeDoubleBE(value);
  return buffer;
};

/** One red picture as VP8, which is what a lossy WebP is made of. `duration` is in milliseconds. */
export async function webm({ duration = 1000, width = 64, height = 48 } = {}): Promise<Uint8Array> {
  const picture = (await webp(64, 48)).subarray(20);
  const docType = element([0x42, 0x82], bytes("webm"));
  const info = element(
    [0x15, 0x49, 0xa9, 0x66],
    element([0x2a, 0xd7, 0xb1], be32(1_000_000)),
    element([0x44, 0x89], float64(duration)),
  );
  const video = element([0xe0], element([0xb0], be16(width)), element([0xba], be16(height)));
  const track = element(
    [0xae],
    ...[
      element([0xd7], bytes(1)),
      element([0x73, 0xc5], bytes(1)),
      element([0x83], bytes(1)),
      element([0x86], bytes("V_VP8")),
      video,
    ],
  );
  const cluster = element(
    [0x1f, 0x43, 0xb6, 0x75],
    element([0xe7], bytes(0)),
    element([0xa3], bytes([0x81, 0, 0, 0x80], picture)),
  );
  return bytes(
    element([0x1a, 0x45, 0xdf, 0xa3], docType),
    element([0x18, 0x53, 0x80, 0x67], info, element([0x16, 0x54, 0xae, 0x6b], track), cluster),
  );
}

// --- Documents and zips

export const pdf = (width = 600, height = 400): Uint8Array =>
  bytes(
    "%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n",
    `3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 ${width} ${height}]/Contents 4 0 R/Resources<<>>>>endobj\n`,
    "4 0 obj<</Length 31>>stream\n1 0 0 rg 100 100 400 200 re f  \nendstream endobj\n",
    "trailer<</Root 1 0 R/Size 5>>\n%%EOF\n",
  );

export interface ZipEntry {
  name: string | Uint8Array;
  data?: string | Uint8Array;
  /** What its own header says, where that differs from the directory. */
  localName?: string;
  /** 8 unless it is stored. */
  method?: number;
  flags?: number;
  /** Of Unix, in the upper half. */
  attributes?: number;
  /** Claims of the directory and of its own header. */
  size?: number;
  crc?: number;
  /** Data that is packed already. */
  packed?: Uint8Array;
  /** Uses the data of another place of the file. */
  offset?: number;
  /** Extra fields of the directory. */
  extra?: Uint8Array;
}

/** The extra field of Info-ZIP with the name in Unicode. */
export function unicodeName(name: string, unicode: string): Uint8Array {
  const text = Buffer.from(unicode);
  return bytes(le16(0x7075), le16(5 + text.length), [1], le32(crc32(name)), text);
}

/** A zip, entry by entry, in which everything can be a lie. `count` is what its end says. */
export function zip(entries: ZipEntry[], { count = entries.length, comment = "" } = {}): Uint8Array {
  const files: Uint8Array[] = [];
  const directory: Uint8Array[] = [];
  let offset = 0;
  for (const entry of entries) {
    const name = Buffer.from(entry.name as string);
    const data = Buffer.from((entry.data ?? "") as string);
    const method = entry.method ?? 8;
    const packed = entry.packed ?? (method === 8 ? deflateRawSync(data) : data);
    const numbers = [le32(entry.crc ?? crc32(data)), le32(packed.length), le32(entry.size ?? data.length)];
    const common = [le16(20), le16(entry.flags ?? 0x800), le16(method), le16(0), le16(0x21), ...numbers];
    const localName = Buffer.from(entry.localName ?? name);
    const local = bytes(le32(0x04034b50), ...common, le16(localName.length), le16(0), localName, packed);
    const place = le32(entry.offset ?? offset);
    directory.push(
      bytes(
        le32(0x02014b50),
        le16(0x314),
        ...common,
        le16(name.length),
        le16(entry.extra?.length ?? 0),
        le16(0),
        le16(0),
        le16(0),
        le32(entry.attributes ?? 0),
        place,
        name,
        entry.extra ?? [],
      ),
    );
    if (entry.offset === undefined) {
      files.push(local);
      offset += local.length;
    }
  }
  const size = directory.reduce((sum, one) => sum + one.length, 0);
  const end = bytes(
    le32(0x06054b50),
    le16(0),
    le16(0),
    le16(count),
    le16(count),
    le32(size),
    le32(offset),
    le16(comment.length),
    comment,
  );
  return Buffer.concat([...files, ...directory, end]);
}
