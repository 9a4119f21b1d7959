/** In the child: the edits that take the metadata out of an image, and leave its pixels and orientation. */
import type { BlockReader } from "../bytes.ts";
import { upright } from "../geometry.ts";
import { tagAt, viewOf } from "../images/container.ts";
import type { Edit } from "../port.ts";
import { crc32 } from "../zlib.ts";
import { canRemoveMetadata, metadataBlocks } from "./blocks.ts";
import { orientationOnly, readExif } from "./exif.ts";

/** The edits in the order of the file; null for a type whose metadata cannot be removed. */
export function removalEdits(file: BlockReader, mime: string): Edit[] | null {
  if (!canRemoveMetadata(mime)) return null;
  const cuts = metadataBlocks(file, mime, true).flatMap(({ type, data, start, end }) => {
    const orientation = type === "exif" ? orientationIn(data) : null;
    if (orientation && Buffer.compare(orientation, data) === 0) return [];
    return [{ start, end, replacement: orientation ? wrapped(mime, orientation) : empty }];
  });
  return mime === "image/webp" && cuts.length > 0 ? [...webpHeader(file, cuts), ...cuts] : cuts;
}

const empty = new Uint8Array();

/** Exif of the orientation alone; null where the image is upright. */
function orientationIn(data: Uint8Array): Uint8Array | null {
  const orientation = readExif(data)?.orientation ?? upright;
  return orientation === upright ? null : orientationOnly(orientation);
}

/** Exif in a block of its container. */
function wrapped(mime: string, exif: Uint8Array): Uint8Array {
  if (mime === "image/jpeg") return jpegSegment(exif);
  const header = Buffer.alloc(8);
  if (mime === "image/webp") {
    header.write("EXIF", "latin1");
    header.writeUInt32LE(exif.length, 4);
    return Buffer.concat([header, exif]);
  }
  header.writeUInt32BE(exif.length);
  header.write("eXIf", 4, "latin1");
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(crc32(Buffer.concat([header.subarray(4), exif])));
  return Buffer.concat([header, exif, checksum]);
}

function jpegSegment(exif: Uint8Array): Uint8Array {
  const header = Buffer.from("\xff\xe1\0\0Exif\0\0", "latin1");
  header.writeUInt16BE(header.length - 2 + exif.length, 2);
  return Buffer.concat([header, exif]);
}

const flagsAt = 20;
const exifFlag = 0x08;
const xmpFlag = 0x04;

/** The size of the RIFF container, and the flags that announce Exif and XMP. */
function webpHeader(file: BlockReader, cuts: Edit[]): Edit[] {
  const removed = cuts.reduce(
    (sum, { start, end, replacement }) => sum + end - start - replacement.length,
    0,
  );
  const size = new Uint8Array(4);
  viewOf(size).setUint32(0, viewOf(file.read(4, 4)).getUint32(0, true) - removed, true);
  const sizeEdit = { start: 4, end: 8, replacement: size };
  if (tagAt(file.read(12, 4), 0) !== "VP8X") return [sizeEdit];
  const flags = file.read(flagsAt, 1)[0] as number;
  const keepsExif = cuts.some(({ replacement }) => replacement.length > 0);
  const left = flags & ~xmpFlag & ~(keepsExif ? 0 : exifFlag);
  return [sizeEdit, { start: flagsAt, end: flagsAt + 1, replacement: Uint8Array.of(left) }];
}
