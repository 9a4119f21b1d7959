/** Content sniffing: the type of a file from its bytes, never from its name or declared type. */
import { fileTypeFromBuffer } from "file-type";
import type { BlockReader } from "./bytes.ts";
import { type FileType, typeOf, unknownType } from "./kind.ts";
import { limits } from "./limits.ts";
import { hasFrames } from "./media/mp3-frames.ts";
import { decodeText, guessText } from "./text-encoding.ts";
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
  const found = (await fileTypeFromBuffer(head).catch(() => undefined)) ?? longWav(head);
  if (found?.mime === "image/x-icon" && head[4] === 0 && head[5] === 0) return unknownType; // a TGA
  const { text } = decodeText(head, isWhole) ?? (await guessText(head, isWhole)) ?? { text: null };
  const isTrusted = text === null || (found && isTextual(found.mime, text));
  if (!(found && isTrusted) && isPdf(file, head)) return typeOf("application/pdf");
  const mime = isTrusted ? (found?.mime ?? (hasFrames(file) ? "audio/mpeg" : undefined)) : textType(text);
  return mime ? typeOf(canonicalMime(mime)) : unknownType;
}

/** A WAV file of any length (EBU Tech 3306), which file-type does not know. */
const longWav = (head: Uint8Array) =>
  Buffer.from(head.subarray(0, 4)).toString("latin1") === "RF64" ? { mime: "audio/wav" } : undefined;

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
