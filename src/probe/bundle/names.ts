/** Names in a bundle become addresses and keys, and files where somebody unpacks it: they must mean the same everywhere. */
import { badRequest } from "../../problem.ts";
import { limits } from "../limits.ts";

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const control = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/;
/** Characters that turn the direction of what follows, or are not seen at all. */
const invisible = /[\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]/;
/** A name of a device on Windows, with any extension. */
const device = /^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(\.|$)/i;
const otherSystems = /[\\:*?"<>|]/;
/** An address decodes these once more than a file system does. */
const escaped = /%(2e|2f|5c|00)/i;

/** The path as text. Throws 400 where it leads out of the bundle, or means different things in different places. */
export function safePath(name: Uint8Array): string {
  const path = decode(name);
  const refuse = (why: string) => badRequest(`The bundle holds a file whose name ${why}: ${JSON.stringify(path.slice(0, 100))}.`);
  if (name.length > limits.pathBytes) throw refuse(`has more than ${limits.pathBytes} bytes`);
  if (control.test(path)) throw refuse("holds control characters");
  if (invisible.test(path)) throw refuse("holds characters that are not seen");
  if (path.startsWith("/")) throw refuse("starts at the root");
  if (otherSystems.test(path)) throw refuse('holds one of \\ : * ? " < > |');
  if (escaped.test(path)) throw refuse("holds an escaped dot, slash or NUL");
  for (const part of path.replace(/\/$/, "").split("/")) {
    if (part === "" || part === "." || part === "..") throw refuse("has a part that is empty, '.' or '..'");
    if (/[. ]$|^ /.test(part)) throw refuse("has a part that ends with a dot, or starts or ends with a space");
    if (device.test(part)) throw refuse("is that of a device");
    if (Buffer.byteLength(part) > limits.partBytes) throw refuse(`has a part of more than ${limits.partBytes} bytes`);
  }
  return path;
}

function decode(name: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(name);
  } catch {
    throw badRequest("The bundle holds a file whose name is not UTF-8.");
  }
}

/** Refuses two names that are one where case or composition does not count, and a file where a folder must be. */
export class Names {
  readonly #files = new Map<string, string>();
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
    this.#files.set(key, path);
  }

  #addFolder(path: string): void {
    const key = keyOf(path);
    if (this.#files.has(key) || (this.#folders.get(key) ?? path) !== path) throw clash(path);
    this.#folders.set(key, path);
  }
}

const keyOf = (path: string): string => path.normalize("NFKC").toLowerCase().normalize("NFKC");

const clash = (path: string) => badRequest(`The bundle holds a name twice, or two that differ only in case: ${JSON.stringify(path)}.`);
