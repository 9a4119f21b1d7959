/** The encoding of a text: as the file declares it, as its bytes are valid, or as they look. */
import type sniffEncoding from "html-encoding-sniffer";
import { likelyEncoding } from "./likely-encoding.ts";

export interface DecodedText {
  /** Without its byte order mark. */
  text: string;
  /** By its name in the Encoding Standard. */
  encoding: string;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const binary = /[\u0000-\u0008\u000b\u000e-\u001a\u001c-\u001f]/;
const isMarkup = (text: string): boolean => /^[\s\ufeff]*</.test(text);

/**
 * Decodes text in UTF-8, text with a byte order mark, and markup that declares its encoding, as browsers do.
 * Null for other bytes.
 * @param isWhole the head is the whole file, so its last character is not cut
 */
export function decodeText(head: Uint8Array, isWhole: boolean): DecodedText | null {
  const marked = hasByteOrderMark(head) ? declaredIn(head) : null;
  if (marked !== null) return decodeAs(marked, head, isWhole, "fatal");
  const coded = codedInAscii(head);
  const plain = coded ? decodeAs(coded, head, isWhole, "fatal") : null;
  // Browsers take no page for one in UTF-16 without a mark.
  const utf8 = plain && (coded === "utf-8" || !isMarkup(plain.text)) ? plain : null;
  if (utf8 && !isMarkup(utf8.text)) return utf8;
  const declared = mayDeclare(head) ? declaredIn(head) : null;
  if (declared === null) return utf8;
  const markup = decodeAs(declared, head, isWhole, "tolerant");
  return markup && isMarkup(markup.text) ? markup : utf8;
}

/** Loads the sniffer when a text may declare its encoding: that takes a child 0.4 ms, and images need none. */
function declaredIn(head: Uint8Array): string | null {
  const sniff: typeof sniffEncoding = require("html-encoding-sniffer");
  return sniff(head, { defaultEncoding: null, maxPrescanBytes: head.length });
}

/**
 * Whether the head may be markup that declares its encoding. The sniffer looks at each byte, which takes 2 ms
 * in a child without a JIT compiler (`bun run bench uploads`), and most files that are no text have a NUL.
 * Markup has one only in UTF-16, or damaged among Japanese characters.
 */
function mayDeclare(head: Uint8Array): boolean {
  const [first, second] = head;
  const isWide = (first === 0x3c && second === 0) || (first === 0 && second === 0x3c);
  return isWide || (head.includes(0x3c) && (!head.includes(0) || isEscaped(head)));
}

/** UTF-8 and those that look like it, or like text with a NUL beside each letter; null for other bytes. */
function codedInAscii(head: Uint8Array): string | null {
  if (!head.includes(0)) return isEscaped(head) ? "iso-2022-jp" : "utf-8";
  if (head.length < 4) return null;
  const isZero = (start: number) => head.every((byte, at) => at % 2 !== start || byte === 0);
  return isZero(1) ? "utf-16le" : isZero(0) ? "utf-16be" : null;
}

/** The sequence that begins Japanese characters. */
function isEscaped(head: Uint8Array): boolean {
  const bytes = Buffer.from(head.buffer, head.byteOffset, head.length);
  return ["\x1b$@", "\x1b$B"].some((sequence) => bytes.includes(sequence));
}

const hasByteOrderMark = ([first, second, third]: Uint8Array): boolean =>
  (first === 0xff && second === 0xfe) ||
  (first === 0xfe && second === 0xff) ||
  (first === 0xef && second === 0xbb && third === 0xbf);

/** Null if the bytes are not text in this encoding, or if there is no such encoding. */
function decodeAs(
  label: string,
  head: Uint8Array,
  isWhole: boolean,
  errors: "fatal" | "tolerant",
): DecodedText | null {
  try {
    const decoder = new TextDecoder(label, { fatal: errors === "fatal" });
    const text = decoder.decode(head, { stream: !isWhole });
    return binary.test(text) ? null : { text, encoding: decoder.encoding };
  } catch {
    return null;
  }
}

/** Bytes that a guess is made from: it takes 3 ms of processor time. */
const sampleBytes = 4_096;
/** Of 100. chardet is less sure of short texts in Shift-JIS, and takes them for others. */
const sureConfidence = 40;
/** What `decodeText` knows, and Baltic, which chardet sees in short texts of Western Europe. */
const unwanted = /^(?:utf|ascii|windows-1257)/i;
const multiByte = /^(?:shift_jis|euc-|gb|big5)/;
const fallback = "windows-1252";

const asLatin1 = (head: Uint8Array): string =>
  Buffer.from(head.buffer, head.byteOffset, head.length).toString("latin1");

/** Whether the bytes are text in no encoding, except in those that `decodeText` knows. */
export const isBinary = (head: Uint8Array): boolean => head.includes(0) || binary.test(asLatin1(head));

/**
 * Text that is good enough to tell its type, which is in its characters of ASCII. The others may be wrong:
 * guessing the encoding would take 3 ms. Null for bytes that are not text.
 */
export function textForType(head: Uint8Array, isWhole: boolean): string | null {
  const text = asLatin1(head);
  const isText = !binary.test(text);
  if (isText && !hasByteOrderMark(head)) return text;
  return decodeText(head, isWhole)?.text ?? (isText ? text : null);
}

/** Decodes text whose encoding nothing tells, as it is most likely meant. Null for other bytes. */
export async function guessText(head: Uint8Array, isWhole: boolean): Promise<DecodedText | null> {
  if (isBinary(head)) return null;
  const start = Math.max(0, head.findIndex((byte) => byte >= 0x80) - sampleBytes / 4);
  const sample = head.subarray(start, start + sampleBytes);
  const likely = likelyEncoding(sample, true);
  const words = likely && decodeAs(likely, head, isWhole, "fatal");
  if (words) return words;
  const { analyse } = await import("chardet");
  const candidates = analyse(sample).flatMap(({ name, confidence }) => {
    const decoded = confidence > 0 && !unwanted.test(name) && decodeAs(name, head, isWhole, "fatal");
    return decoded ? [{ ...decoded, confidence }] : [];
  });
  const plausible = candidates.filter(
    ({ encoding, confidence, text }) =>
      confidence >= sureConfidence || !multiByte.test(encoding) || isAsian(text),
  );
  const [likeliest] = plausible;
  const japanese = plausible.find(({ encoding }) => encoding === "shift_jis");
  if (japanese && (likeliest?.confidence ?? 0) < sureConfidence) return japanese;
  return likeliest ?? decodeAs(fallback, head, isWhole, "fatal");
}

/** Whether no letter stands beside one of ASCII, as if an accented letter had been read for both. */
const isAsian = (text: string): boolean =>
  /(?:[\p{L}--\p{ASCII}].*){3}/sv.test(text) &&
  !/[a-z][\p{L}--\p{ASCII}]|[\p{L}--\p{ASCII}][a-z]|[\uff61-\uff9f\p{Co}]/iv.test(text);

/** Markup that says its encoding itself, unless it forgets to, and is not UTF-8. */
const xml = /^application\/(xhtml\+)?xml$/;

/** Whether a file of this type may have to be served with its encoding. */
export const hasCharset = (type: string): boolean => type.startsWith("text/") || xml.test(type);

/** A media type with the encoding of a text; types of files that say it themselves stay as they are. */
export async function withCharset(type: string, head: Uint8Array, size: number): Promise<string> {
  if (!hasCharset(type)) return type;
  const isWhole = head.length === size;
  const decoded = decodeText(head, isWhole);
  if (decoded && xml.test(type)) return type;
  // Style sheets and scripts say it by `@charset`, or have the encoding of their page.
  if (!decoded && /^text\/(css|javascript)$/.test(type)) return type;
  const { encoding } = decoded ?? (await guessText(head, isWhole)) ?? { encoding: "utf-8" };
  return `${type}; charset=${encoding}`;
}
