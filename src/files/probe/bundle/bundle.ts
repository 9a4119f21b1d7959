/** Bundles: a zip with an index page or of numbered images, detected and unpacked file by file. */
import { mimeOfName } from "../../../core/lib/mime-of-name.ts";
import { badRequest } from "../../../core/problem.ts";
import type { BlockReader } from "../bytes.ts";
import { limits } from "../limits.ts";
import type { BundleFile } from "../port.ts";
import { quoted, requireSafePath, UniqueNames } from "./names.ts";
import { type Sequence, sequenceOf, sequencePage } from "./sequence.ts";
import { type Entry, type FileEntry, method as methods, readDirectory, unpack } from "./zip.ts";

const unixType = { mask: 0xf000, none: 0, regular: 0x8000, folder: 0x4000 } as const;
/** DOS attributes of a device and of a volume label. */
const dosSpecialFlags = 0x48;

/**
 * Whether the zip has an index page, or is an image sequence, and so is meant to be a bundle. `unbundle`
 * validates it. Of a zip with more entries than a bundle may have, only the first are considered.
 */
export async function lookForIndex(file: BlockReader): Promise<{ hasIndex: boolean; isDamaged: boolean }> {
  const paths: string[] = [];
  let isDamaged = false;
  try {
    for await (const { filename } of readDirectory(file))
      if (!isFolder(filename) && paths.push(filename) > limits.bundleEntries) break;
  } catch {
    // A damaged or ambiguous directory: if an index page comes first, `unbundle` says what is wrong with it.
    isDamaged = true;
  }
  return { hasIndex: indexOf(paths) !== null || framesOf(paths) !== null, isDamaged };
}

/** The entry that some programs write for the folder they zipped. */
const rootFolder = "./";
const isFolder = (path: string): boolean => path.endsWith("/");

/** The index page at the root, or in the only folder. */
function indexOf(paths: string[]): string | null {
  const content = paths.filter((path) => !isMetadata(path));
  const folder = `${content[0]?.split("/", 1)[0]}/`;
  const isOnly = content.every((path) => path.startsWith(folder));
  return indexIn(paths, "") ?? (isOnly ? indexIn(content, folder) : null);
}

/** `index.html`, or as Windows and Word name it: servers there find it in any case, and as `.htm`. */
function indexIn(paths: string[], folder: string): string | null {
  const found = paths.filter(
    (path) => path.startsWith(folder) && /^index\.html?$/i.test(path.slice(folder.length)),
  );
  return found.find((path) => path === `${folder}index.html`) ?? found[0] ?? null;
}

/** The frames of a zip without an index page. */
const framesOf = (paths: string[]): Sequence | null => sequenceOf(paths.filter((path) => !isMetadata(path)));

/** What macOS and Windows leave in folders, and so in their zips. It is not part of the bundle. */
const isMetadata = (path: string): boolean =>
  /^__MACOSX\/|(?:^|\/)(?:\.DS_Store|\._[^/]*|Icon\r|(?:eh)?thumbs\.db|desktop\.ini)$/i.test(path);

export interface BundleWriter {
  /** Begins a file; `size` bytes follow. */
  file(file: BundleFile): void;
  bytes(bytes: Uint8Array): void;
}

/**
 * Validates the whole central directory, then unpacks its entries. Throws a Problem 400 at the first error.
 */
export async function unbundle(file: BlockReader, to: BundleWriter): Promise<{ index: string }> {
  const planned = plan(await entriesOf(file));
  const paths = planned.map(({ path }) => path);
  const frames = indexOf(paths) === null ? framesOf(paths) : null;
  const index = frames?.index ?? indexOf(paths);
  if (index === null) throw badRequest("The bundle has no index.html at its root or in its only folder.");
  if (frames) {
    const page = sequencePage(frames);
    to.file({ path: index, size: page.length, mime: "text/html" });
    to.bytes(page);
  }
  for (const { path, entry } of planned) {
    to.file({ path, size: entry.uncompressedSize, mime: mimeOfName(path) });
    await unpack(entry, to.bytes);
  }
  return { index };
}

async function entriesOf(file: BlockReader): Promise<Entry[]> {
  const entries: Entry[] = [];
  for await (const entry of readDirectory(file))
    if (entries.push(entry) > limits.bundleEntries)
      throw badRequest(`The bundle has more than ${limits.bundleEntries} entries.`);
  return entries;
}

/**
 * Returns the files to unpack, sorted by offset. The sum of declared sizes is limited here; `unpack` stops an
 * entry that exceeds its declared size.
 */
function plan(entries: Entry[]): { path: string; entry: FileEntry }[] {
  const names = new UniqueNames();
  const planned = [];
  for (const entry of entries) {
    const path = entry.filename;
    if (path === rootFolder || isMetadata(path)) continue;
    const folder = isFolder(path);
    requireSafePath(path);
    names.add(path, folder);
    requireOrdinary(entry, path, folder);
    if (!folder && !entry.directory) planned.push({ path, entry });
  }
  if (planned.reduce((sum, { entry }) => sum + entry.uncompressedSize, 0) > limits.bundleBytes)
    throw badRequest(`The bundle unpacks to more than ${limits.bundleBytes} bytes.`);
  return planned.sort((one, other) => one.entry.offset - other.entry.offset);
}

function requireOrdinary(entry: Entry, path: string, folder: boolean): void {
  const name = quoted(path);
  const { externalFileAttributes: attributes, compressionMethod, uncompressedSize: size } = entry;
  const type = (attributes >>> 16) & unixType.mask;
  // A folder of Windows, `a\`, may have no mark but its name.
  if (
    (entry.directory && !folder) ||
    (type !== unixType.none && type !== (folder ? unixType.folder : unixType.regular)) ||
    attributes & dosSpecialFlags
  )
    throw badRequest(`The bundle contains an entry that is neither a file nor a folder: ${name}.`);
  if (entry.encrypted) throw badRequest(`The bundle contains an encrypted file: ${name}.`);
  if (compressionMethod !== methods.stored && compressionMethod !== methods.deflated)
    throw badRequest(`The bundle contains a file with an unsupported compression method: ${name}.`);
  if (folder && size > 0) throw badRequest(`The bundle contains a folder entry with data: ${name}.`);
  if (compressionMethod === methods.stored && size !== entry.compressedSize)
    throw badRequest(`The bundle contains a file that declares a false size: ${name}.`);
}
