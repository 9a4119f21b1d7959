/** JPEG: marker segments, and scans that end at the next marker. */
import { upright } from "../geometry.ts";
import { limits } from "../limits.ts";
import { readExif } from "../provenance/exif.ts";
import { isCmyk } from "./colors.ts";
import { ByteCompactor, type ParsedImage, requireValid, tagAt, viewOf } from "./container.ts";

const marker = { endOfImage: 0xd9, startOfScan: 0xda, exif: 0xe1, profile: 0xe2, adobe: 0xee } as const;
const exifSignature = "Exif\0\0";
/** Before the number of this part of a profile, and how many there are. */
const profileSignature = "ICC_PROFILE\0";
const profileHeaderBytes = profileSignature.length + 2;
const headerBytes = 4;

/** SOF0 to SOF15 without the three that define tables. */
const isFrameHeader = (code: number): boolean =>
  code >= 0xc0 && code <= 0xcf && code !== 0xc4 && code !== 0xc8 && code !== 0xcc;
const isProgressive = (code: number): boolean => (code & 3) === 2;
/** Markers that stand alone inside a scan. */
const isRestart = (code: number): boolean => code >= 0xd0 && code <= 0xd7;

/** Whether a marker begins a segment or ends the image. Others stand alone, and 0 is a stuffed byte. */
const hasLength = (code: number): boolean => code > 1 && !isRestart(code) && code !== 0xd8;

interface Frame {
  width: number;
  height: number;
  components: number;
  /** Of all components, two bytes each. */
  coefficientBytes: number;
  isProgressive: boolean;
}

/** As in browsers, a file that is cut after its first scan began shows what came before. */
export function walkJpeg(bytes: Uint8Array, size: number): ParsedImage {
  const view = viewOf(bytes);
  const output = new ByteCompactor(bytes);
  output.append(0, 2);
  let frame: Frame | null = null;
  let orientation = upright;
  const profileParts: Uint8Array[] = [];
  let scans = 0;
  let hasEnded = false;
  for (let at = 2; at + 2 <= bytes.length; ) {
    const code = bytes[at + 1] as number;
    if (bytes[at] !== 0xff || code === 0xff || !hasLength(code)) {
      at++; // padding, or what a camera left between its segments
      continue;
    }
    hasEnded = code === marker.endOfImage || (isFrameHeader(code) && scans > 0);
    if (code === marker.endOfImage) output.append(at, at + 2);
    if (hasEnded || at + headerBytes > bytes.length) break;
    let end = at + 2 + view.getUint16(at + 2);
    requireValid(end >= at + headerBytes, "a segment without length");
    if (end > bytes.length) break;
    const data = bytes.subarray(at + headerBytes, end);
    if (isFrameHeader(code)) {
      requireValid(frame === null && data.length >= 6, "more than one frame");
      frame = readFrame(code, data);
    } else if (code === marker.startOfScan) {
      scans++;
      requireValid(scans <= limits.jpegScans, `more than ${limits.jpegScans} scans`);
      end = endOfScan(bytes, end);
    } else if (code === marker.exif && tagAt(data, 0, exifSignature.length) === exifSignature)
      orientation = readExif(data)?.orientation ?? orientation;
    else if (code === marker.profile && tagAt(data, 0, profileSignature.length) === profileSignature)
      profileParts[data[profileSignature.length] ?? 0] = data.slice(profileHeaderBytes);
    // Of the application segments, only Adobe's transform matters to the decoder.
    if (code === marker.adobe || code < 0xe0) output.append(at, end);
    at = end;
  }
  requireValid(frame !== null && (scans > 0 || bytes.length < size), "nothing is drawn");
  const { coefficientBytes, isProgressive, components, ...stored } = frame;
  const parts = Object.values(profileParts);
  const isSmall = parts.reduce((sum, { length }) => sum + length, 0) <= limits.profileBytes;
  const profile = parts.length > 0 && isSmall ? Buffer.concat(parts) : undefined;
  return {
    ...stored,
    orientation,
    profile,
    inks: components === 4 && isCmyk(profile) ? () => separateInks(output.bytes) : undefined,
    bytes: output.bytes,
    isWhole: hasEnded || bytes.length === size,
    // Others are scaled while they are decoded.
    decodedBytes: isProgressive || scans > 1 ? coefficientBytes : 0,
  };
}

function readFrame(code: number, data: Uint8Array): Frame {
  const view = viewOf(data);
  const [width, height] = [view.getUint16(3), view.getUint16(1)];
  const factors = Array.from({ length: data[5] as number }, (_, index) => data[7 + 3 * index] ?? 0x11);
  const samples = factors.map((factor) => (factor >> 4) * (factor & 15));
  const blockSamples = samples.reduce((sum, count) => sum + count, 0) / Math.max(1, ...samples);
  return {
    width,
    height,
    components: factors.length,
    coefficientBytes: 2 * width * height * blockSamples,
    isProgressive: isProgressive(code),
  };
}

function endOfScan(bytes: Uint8Array, from: number): number {
  for (
    let at = bytes.indexOf(0xff, from);
    at >= 0 && at + 1 < bytes.length;
    at = bytes.indexOf(0xff, at + 1)
  ) {
    const code = bytes[at + 1] as number;
    if (code !== 0 && code !== 0xff && !isRestart(code)) return at;
  }
  return bytes.length;
}

/** The inks of a CMYK image in two files of it: the quantization of the others is zero. */
function separateInks(jpeg: Uint8Array): { withoutBlack: Uint8Array; blackAlone: Uint8Array } {
  const view = viewOf(jpeg);
  let at = 2;
  while (!isFrameHeader(view.getUint8(at + 1))) at += 2 + view.getUint16(at + 2);
  // The last of the four tables, at this place: it stands for those of the components that are left out.
  const table = Buffer.alloc(2 + 2 + 1 + 64);
  table.set([0xff, 0xdb, 0, table.length - 2, 3]);
  const without = (components: number[]) => {
    const header = jpeg.slice(at, at + 2 + view.getUint16(at + 2));
    for (const component of components) header[10 + 3 * component + 2] = 3;
    return Buffer.concat([jpeg.subarray(0, at), table, header, jpeg.subarray(at + header.length)]);
  };
  return { withoutBlack: without([3]), blackAlone: without([0, 1, 2]) };
}
