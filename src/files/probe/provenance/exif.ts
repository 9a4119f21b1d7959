/** The few fields of Exif that say how an image was made, and its orientation. */
import { upright } from "../geometry.ts";
import { tagAt, viewOf } from "../images/container.ts";

export interface ExifFields {
  /** 1 to 8; 1 if it is not stated, or is none of these. */
  orientation: number;
  software: string | null;
  userComment: string | null;
  /** Make and model, where ComfyUI writes its workflow and prompt in a WebP. */
  camera: string[];
}

const tag = {
  make: 0x010f,
  model: 0x0110,
  orientation: 0x0112,
  software: 0x0131,
  exifFields: 0x8769,
  userComment: 0x9286,
} as const;
const entryBytes = 12;
/** Bytes of one value by its type (TIFF 6.0, section 2); types not listed are skipped. */
const widths: Record<number, number> = { 1: 1, 2: 1, 3: 2, 4: 4, 7: 1 };

const prefix = "Exif\0\0";

/** Null if the bytes are not Exif. Some writers of WebP leave the prefix of a JPEG in. */
export function readExif(data: Uint8Array): ExifFields | null {
  const bytes = tagAt(data, 0, prefix.length) === prefix ? data.subarray(prefix.length) : data;
  const order = String.fromCharCode(...bytes.subarray(0, 2));
  if (bytes.length < 8 || (order !== "II" && order !== "MM")) return null;
  const isLittle = order === "II";
  const view = viewOf(bytes);
  const first = directory(bytes, view.getUint32(4, isLittle), isLittle);
  const nested = first.get(tag.exifFields);
  const fields = nested ? directory(bytes, numberIn(nested, isLittle), isLittle) : null;
  const orientation = first.get(tag.orientation);
  const comment = fields?.get(tag.userComment);
  return {
    orientation: orientation ? orientationIn(numberIn(orientation, isLittle)) : upright,
    software: asciiIn(first.get(tag.software)),
    userComment: comment ? commentIn(comment, isLittle) : null,
    camera: [first.get(tag.make), first.get(tag.model)].flatMap((value) => asciiIn(value) ?? []),
  };
}

/** The tags of the first directory, such as that of a position; none if the bytes are not Exif. */
export function exifTags(data: Uint8Array): number[] {
  const bytes = tagAt(data, 0, prefix.length) === prefix ? data.subarray(prefix.length) : data;
  const order = String.fromCharCode(...bytes.subarray(0, 2));
  if (bytes.length < 8 || (order !== "II" && order !== "MM")) return [];
  const isLittle = order === "II";
  return [...directory(bytes, viewOf(bytes).getUint32(4, isLittle), isLittle).keys()];
}

const orientationIn = (value: number): number => (value >= upright && value <= 8 ? value : upright);

/** The values of a directory by tag. A value longer than four bytes is elsewhere in the file. */
function directory(bytes: Uint8Array, at: number, isLittle: boolean): Map<number, Uint8Array> {
  const values = new Map<number, Uint8Array>();
  const view = viewOf(bytes);
  if (at + 2 > bytes.length) return values;
  const count = view.getUint16(at, isLittle);
  for (let entry = at + 2; entry < at + 2 + count * entryBytes; entry += entryBytes) {
    if (entry + entryBytes > bytes.length) break;
    const length = (widths[view.getUint16(entry + 2, isLittle)] ?? 0) * view.getUint32(entry + 4, isLittle);
    const start = length <= 4 ? entry + 8 : view.getUint32(entry + 8, isLittle);
    if (length > 0 && start + length <= bytes.length)
      values.set(view.getUint16(entry, isLittle), bytes.subarray(start, start + length));
  }
  return values;
}

const numberIn = (value: Uint8Array, isLittle: boolean): number =>
  value.length === 4
    ? viewOf(value).getUint32(0, isLittle)
    : value.length === 2
      ? viewOf(value).getUint16(0, isLittle)
      : 0;

const asciiIn = (value: Uint8Array | undefined): string | null =>
  value ? new TextDecoder().decode(value).replace(/\0.*$/s, "") || null : null;

/** A comment begins with the name of its encoding, in eight bytes. */
function commentIn(value: Uint8Array, isLittle: boolean): string | null {
  const text = value.subarray(8);
  if (String.fromCharCode(...value.subarray(0, 7)) !== "UNICODE") return asciiIn(text);
  // Writers disagree about the byte order: ASCII characters show which half is zero.
  const isBig = text[0] === 0 ? true : text[1] === 0 ? false : !isLittle;
  return new TextDecoder(isBig ? "utf-16be" : "utf-16le").decode(text).replace(/\0.*$/s, "") || null;
}

/** Exif that holds only an orientation, for an image without its other metadata. */
export function orientationOnly(orientation: number): Uint8Array {
  const bytes = new Uint8Array(26);
  const view = viewOf(bytes);
  bytes.set([0x49, 0x49, 42, 0, 8, 0, 0, 0, 1, 0]);
  view.setUint16(10, tag.orientation, true);
  view.setUint16(12, 3, true);
  view.setUint32(14, 1, true);
  view.setUint16(18, orientation, true);
  return bytes;
}
