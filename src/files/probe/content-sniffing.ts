/** Content sniffing: the type of a file from its bytes, never from its name or declared type. */
import { fileTypeFromBuffer } from "file-type";
import { type FileType, typeOf, unknownType } from "./kind.ts";
import { decodeText, textType } from "./text-types.ts";

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

/** @param isWhole the head is the whole file, so its last character is not cut */
export async function sniff(head: Uint8Array, isWhole: boolean): Promise<FileType> {
  if (head.length === 0) return unknownType;
  // what a parser stumbles over is not of its type
  const found = await fileTypeFromBuffer(head).catch(() => undefined);
  const text = decodeText(head, isWhole);
  const mime =
    text === null ? found?.mime : found && isTextual(found.mime, text) ? found.mime : textType(text);
  return mime ? typeOf(canonicalMime(mime)) : unknownType;
}

/** Normalizes a MIME type: lower case, without parameters, by its registered name. */
function canonicalMime(mime: string): string {
  const plain = mime.split(";", 1)[0]?.trim().toLowerCase() ?? mime;
  return plain === "audio/x-m4a" ? "audio/mp4" : plain;
}

/** A GIF/JavaScript polyglot looks like text, but it is a GIF. */
const isTextual = (mime: string, text: string): boolean =>
  textualTypes.has(mime) || (mime === "image/gif" && /^GIF8[79]a/.test(text));
