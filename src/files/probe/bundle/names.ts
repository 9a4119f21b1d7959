/**
 * Names in a bundle become URLs, storage keys and file names, so they must be valid and unambiguous
 * everywhere.
 */
import { normalizeUnicode } from "../../../core/lib/strings/nfc.ts";
import { badRequest } from "../../../core/problem.ts";
import { limits } from "../limits.ts";

/**
 * Characters that every disk and bucket can store: no separators of other systems, no escapes, nothing
 * invisible.
 */
const characters = /^[\p{L}\p{M}\p{N} !#$&'()+,;=@[\]^_`{}~./-]*$/u;
/** Device names of Windows, with any extension. */
const device = /^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(\.|$)/i;

/**
 * Returns the path as text, in NFC. Throws a Problem 400 if it leads out of the bundle or is not portable.
 */
export function safePath(name: Uint8Array): string {
  const path = decode(name);
  const refuse = (why: string) =>
    badRequest(`The bundle contains a file whose name ${why}: ${quoted(path)}.`);
  if (Buffer.byteLength(path) > limits.pathBytes) throw refuse(`is longer than ${limits.pathBytes} bytes`);
  if (path.startsWith("/")) throw refuse("is an absolute path");
  if (!characters.test(path))
    throw refuse("contains characters other than letters, digits, spaces and !#$&'()+,;=@[]^_`{}~./-");
  for (const part of path.replace(/\/$/, "").split("/")) {
    if (part === "" || part === "." || part === "..")
      throw refuse("has a segment that is empty, '.' or '..'");
    if (/[. ]$|^ /.test(part))
      throw refuse("has a segment that ends with a dot, or starts or ends with a space");
    if (device.test(part)) throw refuse("is a Windows device name");
    if (Buffer.byteLength(part) > limits.partBytes)
      throw refuse(`has a segment longer than ${limits.partBytes} bytes`);
  }
  return path;
}

/** Quotes a name for an error message: ASCII only, at most 100 characters. */
export const quoted = (path: string): string =>
  JSON.stringify(path.slice(0, 100)).replace(
    /[^ -~]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );

function decode(name: Uint8Array): string {
  try {
    return normalizeUnicode(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(name));
  } catch {
    throw badRequest("The bundle contains a file whose name is not UTF-8.");
  }
}

/**
 * Rejects names that differ only in case or Unicode normalization, and a name that is both a file and a
 * folder.
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
  normalizeUnicode(normalizeUnicode(path, "NFKC").toLowerCase(), "NFKC");

const clash = (path: string) =>
  badRequest(`The bundle contains a name twice, or two names that differ only in case: ${quoted(path)}.`);
