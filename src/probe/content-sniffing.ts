/**
 * The type of a file that is more than text, from its bytes, never from its name or from what its sender
 * says.
 */
import { fileTypeFromBuffer } from "file-type";
import { type FileType, typeOf, unknown } from "./kind.ts";
import { decodeText, textType } from "./text-types.ts";

/**
 * Types whose files may be text from end to end. Two letters are enough for some others, and words begin with
 * those.
 */
const written = new Set([
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
  if (head.length === 0) return unknown;
  // what a parser stumbles over is not of its type
  const found = await fileTypeFromBuffer(head).catch(() => undefined);
  const text = decodeText(head, isWhole);
  const mime =
    text === null ? found?.mime : found && isWritten(found.mime, text) ? found.mime : textType(text);
  return mime ? typeOf(nameOf(mime)) : unknown;
}

/** One spelling: in lower case, without parameters, by its registered name. */
function nameOf(spelt: string): string {
  const plain = spelt.split(";", 1)[0]?.trim().toLowerCase() ?? spelt;
  return plain === "audio/x-m4a" ? "audio/mp4" : plain;
}

/** A GIF that is a script as well begins with a comment of that script: it is a GIF all the same. */
const isWritten = (mime: string, text: string): boolean =>
  written.has(mime) || (mime === "image/gif" && /^GIF8[79]a/.test(text));
