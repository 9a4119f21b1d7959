/** Bundles: a zip with an index page, detected and unpacked file by file. */

import { badRequest } from "../../problem.ts";
import type { BlockReader } from "../bytes.ts";
import { limits } from "../limits.ts";
import type { BundleFile } from "../port.ts";
import { mimeOfName } from "./extension.ts";
import { quoted, safePath, UniqueNames } from "./names.ts";
import { dataOf, type Entry, method as methods, readDirectory, unpack } from "./zip.ts";

/**
 * Central directory limit of detection: higher than that of unpacking, so that an oversized bundle is
 * rejected with a reason.
 */
const directoryBytesMax = 2 * limits.bundleDirectoryBytes;

const encryptedFlags = 0x2041;
const unixType = { mask: 0xf000, none: 0, regular: 0x8000, folder: 0x4000 } as const;
/** DOS attributes of a device and of a volume label. */
const dosSpecialFlags = 0x48;

/** Whether the zip has an index page and so is meant to be a bundle. `unbundle` validates it. */
export function hasIndex(file: BlockReader): boolean {
  try {
    const { entries } = readDirectory(file, directoryBytesMax);
    return (
      indexOf(
        entries.filter((entry) => !entry.isFolder).map((entry) => Buffer.from(entry.name).toString()),
      ) !== null
    );
  } catch {
    return false;
  }
}

/** `index.html` at the root, or in the only folder. */
function indexOf(paths: string[]): string | null {
  if (paths.includes("index.html")) return "index.html";
  const content = paths.filter((path) => !isMacMetadata(path));
  const folder = content[0]?.split("/", 1)[0];
  const index = `${folder}/index.html`;
  return content.includes(index) && content.every((path) => path.startsWith(`${folder}/`)) ? index : null;
}

/** Metadata that macOS adds to every zip. */
const isMacMetadata = (path: string): boolean =>
  path.startsWith("__MACOSX/") || path.split("/").at(-1) === ".DS_Store";

export interface BundleWriter {
  /** Begins a file; `size` bytes follow. */
  file(file: BundleFile): void;
  bytes(bytes: Uint8Array): void;
}

/**
 * Validates the whole central directory, then unpacks its entries. Throws a Problem 400 at the first error.
 */
export async function unbundle(file: BlockReader, to: BundleWriter): Promise<{ index: string }> {
  const { entries, at } = readDirectory(file, limits.bundleDirectoryBytes);
  if (entries.length > limits.bundleEntries)
    throw badRequest(`The bundle has more than ${limits.bundleEntries} entries.`);
  const planned = plan(entries);
  const index = indexOf(planned.map(({ path }) => path));
  if (index === null) throw badRequest("The bundle has no index.html at its root or in its only folder.");
  for (const [position, { path, entry }] of planned.entries()) {
    const data = dataOf(file, entry);
    // Overlapping entries can form a zip bomb: they share compressed data.
    if (data.end > (planned[position + 1]?.entry.offset ?? at))
      throw badRequest("The bundle contains overlapping entries.");
    to.file({ path, size: entry.size, mime: mimeOfName(path) });
    await unpack(file, entry, data, to.bytes);
  }
  return { index };
}

/**
 * Returns the files to unpack, sorted by offset. The sum of declared sizes is limited here; `unpack` stops an
 * entry that exceeds its declared size.
 */
function plan(entries: Entry[]): { path: string; entry: Entry }[] {
  const names = new UniqueNames();
  const planned = [];
  for (const entry of entries) {
    const path = safePath(entry.name);
    names.add(path, entry.isFolder);
    requireOrdinary(entry, path);
    if (!entry.isFolder && !isMacMetadata(path)) planned.push({ path, entry });
  }
  if (planned.reduce((sum, { entry }) => sum + entry.size, 0) > limits.bundleBytes)
    throw badRequest(`The bundle unpacks to more than ${limits.bundleBytes} bytes.`);
  return planned.sort((one, other) => one.entry.offset - other.entry.offset);
}

function requireOrdinary(
  { attributes, isFolder, flags, method, size, packedSize }: Entry,
  path: string,
): void {
  const name = quoted(path);
  const type = (attributes >>> 16) & unixType.mask;
  if (
    (type !== unixType.none && type !== (isFolder ? unixType.folder : unixType.regular)) ||
    attributes & dosSpecialFlags
  )
    throw badRequest(`The bundle contains an entry that is neither a file nor a folder: ${name}.`);
  if (flags & encryptedFlags) throw badRequest(`The bundle contains an encrypted file: ${name}.`);
  if (method !== methods.stored && method !== methods.deflated)
    throw badRequest(`The bundle contains a file with an unsupported compression method: ${name}.`);
  if (isFolder && size > 0) throw badRequest(`The bundle contains a folder entry with data: ${name}.`);
  if (method === methods.stored && size !== packedSize)
    throw badRequest(`The bundle contains a file that declares a false size: ${name}.`);
}
