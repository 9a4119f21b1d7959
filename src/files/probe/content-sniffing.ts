/** Content sniffing: the type of a file from its bytes, never from its name or declared type. */
import type { BlockReader } from "./bytes.ts";
import { type FileType, type Inspection, isMedia, typeOf, unknownType, withoutMetadata } from "./kind.ts";
import { limits } from "./limits.ts";
import { hasFrames } from "./media/mp3-frames.ts";
import { isBinary, textForType } from "./text-encoding.ts";
import { pdfHeader, pdfOffsetMax, textType } from "./text-types.ts";

/**
 * Detected types to trust for a file that is all text. Other signatures are as short as two letters, which
 * ordinary text may begin with.
 */
const textualTypes = new Set([
  "application/pdf",
  "application/postscript",
  "application/eps",
  "application/rtf",
  "text/calendar",
  "text/vcard",
  "text/vtt",
]);

export async function sniff(file: BlockReader, head: Uint8Array): Promise<FileType> {
  if (head.length === 0) return unknownType;
  const isWhole = head.length === file.size;
  // what a parser stumbles over is not of its type
  const found = ownType(head) ?? (await typeByPackage(head));
  if (found?.mime === "image/x-icon" && head[4] === 0 && head[5] === 0) return unknownType; // a TGA
  const text = textForType(head, isWhole);
  const isTrusted = text === null || (found && isTextual(found.mime, text));
  if (!(found && isTrusted) && isPdf(file, head)) return typeOf("application/pdf");
  const mime = isTrusted ? (found?.mime ?? (hasFrames(file) ? "audio/mpeg" : undefined)) : textType(text);
  return mime ? typeOf(canonicalMime(mime)) : unknownType;
}

/** How formats begin that file-type reads in a loop, or by parts that the file points to. */
const loopSignatures = ["PK", "\x1aE\xdf\xa3", "\x89PNG", "0&\xb2u", "II", "MM", "ID3", "\xef\xbb\xbf"];

/**
 * The inspection of a binary file that fixed bytes identify, so that the server may make it: to ask a child
 * nearly doubles the CPU of a small upload (`bun run bench uploads`). Null for any other file.
 */
export async function inspectSignature(head: Uint8Array, size: number): Promise<Inspection | null> {
  const start = startOf(head);
  if (!isBinary(head) || loopSignatures.some((signature) => start.startsWith(signature))) return null;
  const read = (offset: number, length: number) => {
    const end = Math.min(offset + length, size);
    if (end > head.length) throw new RangeError("not in the head of the file");
    return head.subarray(offset, end);
  };
  const type = await sniff({ size, read }, head).catch(() => null);
  return type && !isMedia(type) ? withoutMetadata(type) : null;
}

const startOf = (head: Uint8Array): string => Buffer.from(head.subarray(0, 4)).toString("latin1");

/** Without the package, which most images do not need, a child starts in 3 ms less. */
async function typeByPackage(head: Uint8Array): Promise<{ mime: string } | undefined> {
  const { fileTypeFromBuffer } = await import("file-type");
  return fileTypeFromBuffer(head).catch(() => undefined);
}

/**
 * A WAV file of any length (EBU Tech 3306), which file-type does not know, and a gzip, which it inflates to
 * look for a tar, whose type is the same.
 */
function ownType(head: Uint8Array): { mime: string } | undefined {
  const start = startOf(head);
  if (start === "RF64") return { mime: "audio/wav" };
  if (/^\xff\xd8\xff[^\xf7]/.test(start)) return { mime: "image/jpeg" };
  if (start === "\x89PNG") return pngType(head);
  return start.startsWith("\x1f\x8b\x08") ? { mime: "application/gzip" } : undefined;
}

const pngStart = "\x89PNG\r\n\x1a\n\0\0\0\rIHDR";

/** Undefined where the chunks before the pixels are not as usual. */
function pngType(head: Uint8Array): { mime: string } | undefined {
  const bytes = Buffer.from(head.buffer, head.byteOffset, head.length);
  if (bytes.toString("latin1", 0, pngStart.length) !== pngStart) return undefined;
  for (let at = 8; at + 8 <= bytes.length; at += 12 + bytes.readUInt32BE(at)) {
    const name = bytes.toString("latin1", at + 4, at + 8);
    if (name === "IDAT") return { mime: "image/png" };
    if (name === "acTL") return { mime: "image/apng" };
  }
  return undefined;
}

/** Whether a PDF begins behind other bytes, as viewers tolerate it (ISO 32000-1, annex H.3). */
function isPdf(file: BlockReader, head: Uint8Array): boolean {
  const start = Buffer.from(head.subarray(0, pdfOffsetMax)).includes(pdfHeader);
  return (
    start &&
    Buffer.from(file.read(Math.max(0, file.size - limits.headBytes), limits.headBytes)).includes("%%EOF")
  );
}

/** Normalizes a MIME type: lower case, without parameters, by its registered name. */
function canonicalMime(mime: string): string {
  const plain = mime.split(";", 1)[0]?.trim().toLowerCase() ?? mime;
  return plain === "audio/x-m4a" ? "audio/mp4" : plain;
}

/** A GIF/JavaScript polyglot looks like text, but it is a GIF. */
const isTextual = (mime: string, text: string): boolean =>
  textualTypes.has(mime) || (mime === "image/gif" && /^GIF8[79]a/.test(text));
