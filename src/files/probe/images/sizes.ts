/** The sizes of images that no decoder here reads, from their headers alone. */
import type { BlockReader } from "../bytes.ts";
import { type Geometry, type Size, shownSize, upright } from "../geometry.ts";
import { viewOf } from "./container.ts";
import { isTiled, readHeif } from "./heif.ts";
import { readJxl } from "./jxl.ts";

const readers = new Map<string, (file: BlockReader) => Geometry | null>([
  ["image/avif", readHeif],
  ["image/heic", readHeif],
  ["image/heif", readHeif],
  ["image/heic-sequence", readHeif],
  ["image/heif-sequence", readHeif],
  ["image/jxl", readJxl],
  ["image/tiff", readTiff],
  ["image/x-icon", readIcon],
]);

/** The size as shown; nothing where the file does not tell it. */
export function readSize(file: BlockReader, mime: string): Partial<Size> {
  const geometry = readGeometry(file, mime);
  return geometry ? shownSize(geometry) : {};
}

/** How an image is turned that ffmpeg decoded as it is stored; null if that may be a part of it. */
export function readOrientation(file: BlockReader, mime: string): number | null {
  const isHeif = readers.get(mime) === readHeif;
  if (isHeif && isTiled(file)) return null;
  // The decoder of JPEG XL turns the image itself.
  return mime === "image/jxl" ? upright : (readGeometry(file, mime)?.orientation ?? upright);
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

const tiffTag = { width: 256, height: 257, orientation: 274 } as const;

/** The first page of a TIFF 6.0, or of a BigTIFF, whose offsets have 64 bits. */
function readTiff(file: BlockReader): Geometry | null {
  const header = file.read(0, 16);
  const isLittle = header[0] === 0x49;
  const isBig = viewOf(header).getUint16(2, isLittle) === 43;
  const offset = (view: DataView, at: number) =>
    isBig ? Number(view.getBigUint64(at, isLittle)) : view.getUint32(at, isLittle);
  const directory = offset(viewOf(header), isBig ? 8 : 4);
  const [countBytes, entryBytes, valueAt] = isBig ? [8, 20, 12] : [2, 12, 8];
  const count = viewOf(file.read(directory, 2)).getUint16(isBig && !isLittle ? 6 : 0, isLittle);
  const entries = viewOf(file.read(directory + countBytes, count * entryBytes));
  const values = new Map<number, number>();
  for (let at = 0; at + entryBytes <= entries.byteLength; at += entryBytes) {
    const isShort = entries.getUint16(at + 2, isLittle) === 3;
    const value = at + valueAt;
    const number = isShort ? entries.getUint16(value, isLittle) : entries.getUint32(value, isLittle);
    values.set(entries.getUint16(at, isLittle), number);
  }
  return {
    width: values.get(tiffTag.width) ?? 0,
    height: values.get(tiffTag.height) ?? 0,
    orientation: values.get(tiffTag.orientation) ?? upright,
  };
}

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
