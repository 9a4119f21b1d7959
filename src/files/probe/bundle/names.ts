/**
 * Names in a bundle become URLs, storage keys and file names, so they must be valid and unambiguous
 * everywhere.
 */
import { normalizeUnicode } from "../../../core/lib/strings/nfc.ts";
import { badRequest } from "../../../core/problem.ts";
import { encodedTraversal, nameCharacter } from "../../stores/keys.ts";
import { limits } from "../limits.ts";

const characters = new RegExp(`^(?:${nameCharacter}|/)*$`, "u");
/** Device names of Windows, with any extension. */
const device = /^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(\.|$)/i;

/**
 * The name as a path within the bundle, as programs unpack it: with the separators of this system instead of
 * those of Windows, and without empty segments and `./`.
 */
export const pathOfName = (name: string): string =>
  normalizeUnicode(
    name
      .replaceAll("\\", "/")
      .replace(/(?<=.)\/{2,}/gs, "/")
      .replace(/(?<=^|\/)(?:\.\/)+(?!$)/g, ""),
  );

/** @throws {Problem} 400 if the path leads out of the bundle or is not portable */
export function requireSafePath(path: string): void {
  const refuse = (why: string) =>
    badRequest(`The bundle contains a file whose name ${why}: ${quoted(path)}.`);
  if (Buffer.byteLength(path) > limits.pathBytes) throw refuse(`is longer than ${limits.pathBytes} bytes`);
  if (/^(?:\/|[a-z]:)/i.test(path)) throw refuse("is an absolute path");
  if (!characters.test(path)) throw refuse("contains characters that are invisible or not valid UTF-8");
  for (const part of path.replace(/\/$/, "").split("/")) {
    if (/^(?: *|\.{1,2})$/.test(part.trimEnd())) throw refuse("has a segment that is empty, '.' or '..'");
    if (part.trimEnd().endsWith(".")) throw refuse("has a segment that ends with a dot");
    if (device.test(part)) throw refuse("is a Windows device name");
    if (Buffer.byteLength(part) > limits.partBytes)
      throw refuse(`has a segment longer than ${limits.partBytes} bytes`);
  }
  if (encodedTraversal.test(path)) throw refuse("contains an encoded separator or parent folder");
}

/** Quotes a name for an error message: ASCII only, at most 100 characters. */
export const quoted = (path: string): string =>
  JSON.stringify(path.slice(0, 100)).replace(
    /[^ -~]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );

/**
 * Rejects names that differ only in case, Unicode normalization, or what cannot be seen, and a name that is
 * both a file and a folder.
 */
export class UniqueNames {
  readonly #files = new Set<string>();
  readonly #folders = new Map<string, string>();

  add(path: string, isFolder: boolean): void {
    const whole = path.replace(/\/$/, "");
    const parts = whole.split("/");
    for (let depth = 1; depth < parts.length; depth++) this.#addFolder(parts.slice(0, depth).join("/"));
    if (isFolder) this.#addFolder(whole);
    else this.#addFile(whole);
  }

  #addFile(path: string): void {
    const key = keyOf(path);
    if (this.#files.has(key) || this.#folders.has(key)) throw clash(path);
    this.#files.add(key);
  }

  #addFolder(path: string): void {
    const key = keyOf(path);
    if (this.#files.has(key) || (this.#folders.get(key) ?? path) !== path) throw clash(path);
    this.#folders.set(key, path);
  }
}

const keyOf = (path: string): string =>
  normalizeUnicode(normalizeUnicode(path.replace(unseen, ""), "NFKC").toLowerCase(), "NFKC");
/** Format characters, and spaces at the ends of a segment, which Windows leaves out. */
const unseen = /(?![\u200c\u200d])\p{Cf}|(?<=^|\/) +| +(?=\/|$)/gu;

const clash = (path: string) =>
  badRequest(`The bundle contains a name twice, or two names that differ only in case: ${quoted(path)}.`);
