/** The sizes of images that no decoder here reads, from their headers alone. */
import type { BlockReader } from "../bytes.ts";
import { type Geometry, type Size, shownSize, upright } from "../geometry.ts";
import { topLevelBoxes } from "./boxes.ts";
import { viewOf } from "./container.ts";
import { heifTypes, readHeif } from "./heif.ts";

const readers = new Map<string, (file: BlockReader) => Geometry | null>([
  ...[...heifTypes].map((mime) => [mime, readHeif] as const),
  ["image/jxl", readJxl],
  ["image/tiff", readTiff],
  ["image/x-icon", readIcon],
  ["image/jp2", readJpeg2000],
  ["image/j2c", readJpeg2000],
  ["image/vnd.adobe.photoshop", readPhotoshop],
]);

/** The size as shown; nothing where the file does not tell it. */
export function readSize(file: BlockReader, mime: string): Partial<Size> {
  const geometry = readGeometry(file, mime);
  return geometry ? shownSize(geometry) : {};
}

interface MaybeMisread {
  /** Whether ffmpeg decodes it as black. */
  isMisread: boolean;
}

/**
 * How an image is turned that ffmpeg decoded as it is stored; its decoder of JPEG XL turns it. Null for one
 * that it decodes wrong, such as a TIFF of tiles or JPEGs.
 */
export function readOrientation(file: BlockReader, mime: string): number | null {
  if (mime === "image/jxl") return upright;
  const geometry = readGeometry(file, mime);
  return geometry && "isMisread" in geometry && geometry.isMisread
    ? null
    : (geometry?.orientation ?? upright);
}

/** Null where the file does not tell it. */
function readGeometry(file: BlockReader, mime: string): Geometry | null {
  try {
    const geometry = readers.get(mime)?.(file) ?? null;
    return geometry && geometry.width > 0 && geometry.height > 0 ? geometry : null;
  } catch {
    return null; // its header is cut
  }
}

const tiffTag = { width: 256, height: 257, compression: 259, orientation: 274, tileWidth: 322 } as const;
/** Old and new. */
const jpegCompressions = [6, 7];

/** The first page of a TIFF 6.0, or of a BigTIFF, whose offsets have 64 bits. */
function readTiff(file: BlockReader): Geometry & MaybeMisread {
  const header = file.read(0, 16);
  const isLittle = header[0] === 0x49;
  const isBig = viewOf(header).getUint16(2, isLittle) === 43;
  const offset = (view: DataView, at: number) =>
    isBig ? Number(view.getBigUint64(at, isLittle)) : view.getUint32(at, isLittle);
  const directory = offset(viewOf(header), isBig ? 8 : 4);
  const [countBytes, entryBytes, valueAt] = isBig ? [8, 20, 12] : [2, 12, 8];
  const count = viewOf(file.read(directory, countBytes)).getUint16(isBig && !isLittle ? 6 : 0, isLittle);
  const entries = viewOf(file.read(directory + countBytes, count * entryBytes));
  const values = new Map<number, number>();
  for (let at = 0; at + entryBytes <= entries.byteLength; at += entryBytes) {
    const isShort = entries.getUint16(at + 2, isLittle) === 3;
    const value = at + valueAt;
    const number = isShort ? entries.getUint16(value, isLittle) : entries.getUint32(value, isLittle);
    values.set(entries.getUint16(at, isLittle), number);
  }
  const isMisread =
    values.has(tiffTag.tileWidth) || jpegCompressions.includes(values.get(tiffTag.compression) ?? 1);
  return {
    width: values.get(tiffTag.width) ?? 0,
    height: values.get(tiffTag.height) ?? 0,
    orientation: values.get(tiffTag.orientation) ?? upright,
    isMisread,
  };
}

/** JPEG 2000, alone or in boxes: the first segment of its codestream (ISO/IEC 15444-1, A.5.1). */
function readJpeg2000(file: BlockReader): Geometry | null {
  const head = Buffer.from(file.read(0, jpeg2000Bytes));
  const at = head.indexOf(Buffer.from([0xff, 0x4f, 0xff, 0x51]));
  if (at < 0) return null;
  const numberAt = (offset: number) => head.readUInt32BE(at + offset);
  return { width: numberAt(8) - numberAt(16), height: numberAt(12) - numberAt(20), orientation: upright };
}
const jpeg2000Bytes = 64 * 1024;

/** Photoshop (Adobe, "Photoshop File Formats Specification"). */
function readPhotoshop(file: BlockReader): Geometry & MaybeMisread {
  const header = viewOf(file.read(0, 26));
  return {
    width: header.getUint32(18),
    height: header.getUint32(14),
    orientation: upright,
    isMisread: header.getUint16(24) > rgbMode,
  };
}
/** The modes before are gray and indexed; ffmpeg decodes those behind, such as CMYK, as black. */
const rgbMode = 3;

/** The largest image of an icon. A side of 256 is written as 0. */
function readIcon(file: BlockReader): Geometry {
  const count = viewOf(file.read(4, 2)).getUint16(0, true);
  const entries = file.read(6, 16 * count);
  let largest = { width: 0, height: 0, orientation: upright };
  for (let at = 0; at + 16 <= entries.length; at += 16) {
    const [width, height] = [entries[at] || 256, entries[at + 1] || 256];
    if (width * height > largest.width * largest.height) largest = { width, height, orientation: upright };
  }
  return largest;
}

/** More than a header has. */
const headerBytes = 64;
/** Of the width by the height, where it is not written. */
const ratios = [1, 12 / 10, 4 / 3, 3 / 2, 16 / 9, 5 / 4, 2];

/** A JPEG XL (ISO/IEC 18181-1, 5 and annex D; 18181-2, 9). Null without a codestream. */
function readJxl(file: BlockReader): Geometry | null {
  const start = codestreamAt(file);
  if (start === null) return null;
  const read = bitsOf(file.read(start + 2, headerBytes));
  const { width, height } = readSides(read);
  const isDefault = read(1) === 1;
  const hasExtra = !isDefault && read(1) === 1;
  return { width, height, orientation: hasExtra ? read(3) + 1 : upright };
}

/** Where the codestream begins: at once, or in a box. */
function codestreamAt(file: BlockReader): number | null {
  if (viewOf(file.read(0, 2)).getUint16(0) === 0xff0a) return 0;
  for (const { name, start } of topLevelBoxes(file)) {
    if (name === "jxlc") return start;
    if (name === "jxlp") return start + 4; // behind the number of this part
  }
  return null;
}

/** Reads numbers of some bits, lowest bit first. */
function bitsOf(bytes: Uint8Array): (count: number) => number {
  let at = 0;
  return (count) => {
    let value = 0;
    for (let bit = 0; bit < count; bit++, at++) value += (((bytes[at >> 3] ?? 0) >> (at & 7)) & 1) * 2 ** bit;
    return value;
  };
}

function readSides(read: (bits: number) => number): { width: number; height: number } {
  const isSmall = read(1) === 1;
  const side = () => (isSmall ? 8 * (read(5) + 1) : read([9, 13, 18, 30][read(2)] as number) + 1);
  const height = side();
  const ratio = ratios[read(3) - 1];
  return { width: ratio === undefined ? side() : Math.floor(height * ratio), height };
}
