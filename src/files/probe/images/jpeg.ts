/** JPEG: marker segments, and scans that end at the next marker. */
import { limits } from "../limits.ts";
import { ByteCompactor, type ParsedImage, requireValid, tagAt, viewOf } from "./container.ts";

const marker = { endOfImage: 0xd9, startOfScan: 0xda, exif: 0xe1, profile: 0xe2, adobe: 0xee } as const;

/** SOF0 to SOF15 without the three that define tables. */
const isFrameHeader = (code: number): boolean =>
  code >= 0xc0 && code <= 0xcf && code !== 0xc4 && code !== 0xc8 && code !== 0xcc;
/** Markers that stand alone inside a scan. */
const isRestart = (code: number): boolean => code >= 0xd0 && code <= 0xd7;

/** Whether a marker begins a segment or ends the image. Others stand alone, and 0 is a stuffed byte. */
const hasLength = (code: number): boolean => code > 1 && !isRestart(code) && code !== 0xd8;

export function walkJpeg(bytes: Uint8Array, size: number): ParsedImage {
  const view = viewOf(bytes);
  const output = new ByteCompactor(bytes);
  output.append(0, 2);
  let frame: { width: number; height: number } | null = null;
  let scans = 0;
  for (let at = 2; at + 2 <= bytes.length; ) {
    const code = bytes[at + 1] as number;
    if (bytes[at] !== 0xff || code === 0xff || !hasLength(code)) {
      at++; // padding, or what a camera left between its segments
      continue;
    }
    if (code === marker.endOfImage) {
      requireValid(frame !== null && scans > 0, "nothing is drawn");
      output.append(at, at + 2);
      return { ...frame, bytes: output.bytes, isWhole: true };
    }
    if (at + 4 > bytes.length) break;
    let end = at + 2 + view.getUint16(at + 2);
    requireValid(end >= at + 4, "a segment without length");
    if (end > bytes.length) break;
    if (isFrameHeader(code)) {
      requireValid(frame === null && end >= at + 10, "more than one frame");
      frame = { width: view.getUint16(at + 7), height: view.getUint16(at + 5) };
    } else if (code === marker.startOfScan) {
      scans++;
      requireValid(scans <= limits.jpegScans, `more than ${limits.jpegScans} scans`);
      end = endOfScan(bytes, end);
    }
    if (isNeeded(bytes, code, at, end)) output.append(at, end);
    at = end;
  }
  requireValid(bytes.length < size && frame !== null, "the file is cut");
  return { ...frame, bytes: output.bytes, isWhole: false };
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

/**
 * Which segments the decoder needs. Of the application segments: the orientation, a small single-part color
 * profile, and Adobe's color transform.
 */
function isNeeded(bytes: Uint8Array, code: number, at: number, end: number): boolean {
  if (code === marker.exif) return tagAt(bytes, at + 4) === "Exif";
  if (code === marker.profile)
    return tagAt(bytes, at + 4, 14) === "ICC_PROFILE\0\x01\x01" && end - at <= limits.profileBytes;
  return code === marker.adobe || code < 0xe0;
}
