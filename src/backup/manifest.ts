/**
 * Manifests: every file of a backup is in one, by name, size and hash, and the last file knows all manifests.
 */
import { hashSource } from "../stores/objects.ts";
import type { ContentDigest } from "../stores/store.ts";
import {
  type Archive,
  BackupError,
  type End,
  type Entry,
  endName,
  type Header,
  headerName,
  numbered,
  readText,
  textEntry,
} from "./archive.ts";

/** So many files are in one manifest: nobody has to remember more of them. */
const filesOfOne = 1_000;

const sha256 = (text: string): string => new Bun.CryptoHasher("sha256").update(text).digest("hex");
const isManifest = (name: string): boolean => name.startsWith("manifest/");
const lineOf = (name: string, size: number, hash: string): string =>
  `${JSON.stringify({ name, size, sha256: hash })}\n`;

export interface Reports {
  onBytes(bytes: number): void;
  onEnd(end: End): void;
}

/**
 * The files with their manifests between them and the end behind them.
 * @param facts what the end says besides, asked for when all files have been read
 */
export async function* withManifests(
  entries: AsyncIterable<Entry>,
  facts: () => Omit<End, "entries" | "sha256" | "damaged">,
  { onBytes, onEnd }: Reports,
): AsyncGenerator<Entry> {
  const damaged: string[] = [];
  const manifests = new Bun.CryptoHasher("sha256");
  let lines: string[] = [];
  let count = 0;
  let number = 0;
  function manifest(): Entry {
    const text = lines.join("");
    lines = [];
    manifests.update(sha256(text));
    return textEntry(numbered("manifest", ++number), text);
  }
  for await (const entry of entries) {
    const hash = new Bun.CryptoHasher("sha256");
    let size = 0;
    const body = (async function* () {
      for await (const chunk of entry.body) {
        hash.update(chunk);
        size += chunk.length;
        onBytes(chunk.length);
        yield chunk;
      }
      if (size !== entry.size)
        throw new BackupError(
          `${entry.name} has ${size} bytes, not ${entry.size} as announced; nothing was finished`,
        );
    })();
    yield { ...entry, body };
    const digest = hash.digest("hex");
    if (entry.sha256 !== undefined && entry.sha256 !== digest) damaged.push(entry.name);
    lines.push(lineOf(entry.name, entry.size, digest));
    count++;
    if (lines.length === filesOfOne) yield manifest();
  }
  if (lines.length > 0) yield manifest();
  const end: End = { entries: count, sha256: manifests.digest("hex"), ...facts(), damaged };
  onEnd(end);
  const text = JSON.stringify(end);
  yield textEntry(endName, `${text}\n${sha256(text)}\n`);
}

/** Reads a backup from its beginning to its end: it is whole, and nothing in it has changed. */
export async function verify(
  archive: Archive,
  { onText, onBytes }: { onText?: (name: string, text: string) => void; onBytes: (bytes: number) => void },
): Promise<{ header: Header; end: End }> {
  const manifests = new Bun.CryptoHasher("sha256");
  let since: string[] = [];
  let count = 0;
  let header: Header | undefined;
  let end: End | undefined;
  for await (const entry of archive()) {
    if (end) throw new BackupError("something stands behind its end");
    if (!header && entry.name !== headerName) throw new BackupError("it does not begin as a backup does");
    onBytes(entry.size);
    if (isManifest(entry.name)) {
      const text = await readText(entry);
      requireSame(since, text);
      manifests.update(sha256(text));
      since = [];
      continue;
    }
    if (entry.name === endName) {
      end = readEnd(await readText(entry));
      continue;
    }
    const { size, sha256: hash } = await read(entry);
    if (size !== entry.size) throw new BackupError(`${entry.name} was cut off`);
    since.push(lineOf(entry.name, size, hash));
    count++;
  }
  if (!header || !end) throw new BackupError("it was cut off: its end is missing");
  if (since.length > 0 || end.entries !== count || end.sha256 !== manifests.digest("hex"))
    throw new BackupError("files are missing, or stand in another order");
  return { header, end };

  async function read(entry: Entry): Promise<ContentDigest> {
    const isHeader = entry.name === headerName;
    if (!isHeader && !(onText && entry.name.startsWith("rows/"))) return hashSource(entry.body);
    const text = await readText(entry);
    if (isHeader) header = readHeader(text);
    else onText?.(entry.name, text);
    return { size: Buffer.byteLength(text), sha256: sha256(text) };
  }
}

function requireSame(found: string[], text: string): void {
  const said = text.split(/(?<=\n)/);
  const at = said.findIndex((line, index) => line !== found[index]);
  const changed = found[at] ?? found[said.length];
  if (changed !== undefined) throw new BackupError(`${JSON.parse(changed).name} is damaged`);
  if (at >= 0) throw new BackupError("files are missing");
}

function readEnd(text: string): End {
  const [said = "", hash] = text.split("\n");
  if (sha256(said) !== hash) throw new BackupError("its end is damaged");
  return JSON.parse(said) as End;
}

function readHeader(text: string): Header {
  let header: { format?: unknown } | null = null;
  try {
    header = JSON.parse(text);
  } catch {} // said below
  if (header?.format !== 1) throw new BackupError("it is of another format than this svc reads");
  return header as Header;
}
