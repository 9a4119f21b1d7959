/**
 * Manifests: each lists files of the backup by name, size and SHA-256, and `end.json` holds a hash of all
 * manifests.
 */
import { hashSource } from "../../files/stores/objects.ts";
import type { ContentDigest } from "../../files/stores/store.ts";
import {
  type Archive,
  BackupError,
  type End,
  type Entry,
  endName,
  type Header,
  headerName,
  numberedName,
  readText,
  textEntry,
} from "./archive.ts";

/** Files per manifest: bounds the memory of writer and reader. */
const manifestLinesMax = 1_000;

const sha256 = (text: string): string => new Bun.CryptoHasher("sha256").update(text).digest("hex");
const isManifest = (name: string): boolean => name.startsWith("manifest/");
const lineOf = (name: string, size: number, hash: string): string =>
  `${JSON.stringify({ name, size, sha256: hash })}\n`;

export interface ManifestListeners {
  onBytes(bytes: number): void;
  onEnd(end: End): void;
}

/**
 * Inserts the manifests between the files and appends `end.json`.
 * @param summary the other fields of `end.json`, called after all files have been read
 */
export async function* withManifests(
  entries: AsyncIterable<Entry>,
  summary: () => Omit<End, "entries" | "sha256" | "damaged">,
  { onBytes, onEnd }: ManifestListeners,
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
    return textEntry(numberedName("manifest", ++number), text);
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
          `${entry.name} changed while it was read: ${size} bytes instead of ${entry.size}. Run the ` +
            "backup again.",
        );
    })();
    yield { ...entry, body };
    const digest = hash.digest("hex");
    if (entry.sha256 !== undefined && entry.sha256 !== digest) damaged.push(entry.name);
    lines.push(lineOf(entry.name, entry.size, digest));
    count++;
    if (lines.length === manifestLinesMax) yield manifest();
  }
  if (lines.length > 0) yield manifest();
  const end: End = { entries: count, sha256: manifests.digest("hex"), ...summary(), damaged };
  onEnd(end);
  const text = JSON.stringify(end);
  yield textEntry(endName, `${text}\n${sha256(text)}\n`);
}

/**
 * Reads a whole backup and verifies that it is complete and unchanged.
 * @throws {BackupError} if it is truncated, damaged or of another format
 */
export async function verifyArchive(
  archive: Archive,
  { onText, onBytes }: { onText?: (name: string, text: string) => void; onBytes: (bytes: number) => void },
): Promise<{ header: Header; end: End }> {
  const manifests = new Bun.CryptoHasher("sha256");
  let lines: string[] = [];
  let count = 0;
  let header: Header | undefined;
  let end: End | undefined;
  for await (const entry of archive()) {
    if (end) throw new BackupError("the backup is damaged: it continues after end.json");
    if (!header && entry.name !== headerName)
      throw new BackupError("this is not an svc backup: svc-backup.json is missing at its start");
    onBytes(entry.size);
    if (isManifest(entry.name)) {
      const text = await readText(entry);
      requireListed(lines, text);
      manifests.update(sha256(text));
      lines = [];
      continue;
    }
    if (entry.name === endName) {
      end = parseEnd(await readText(entry));
      continue;
    }
    const { size, sha256: hash } = await read(entry);
    if (size !== entry.size) throw new BackupError(`the backup is truncated in ${entry.name}`);
    lines.push(lineOf(entry.name, size, hash));
    count++;
  }
  if (!header || !end) throw new BackupError("the backup is truncated: end.json is missing");
  if (lines.length > 0 || end.entries !== count || end.sha256 !== manifests.digest("hex"))
    throw new BackupError("the backup is damaged: files are missing or out of order");
  return { header, end };

  async function read(entry: Entry): Promise<ContentDigest> {
    const isHeader = entry.name === headerName;
    if (!isHeader && !(onText && entry.name.startsWith("rows/"))) return hashSource(entry.body);
    const text = await readText(entry);
    if (isHeader) header = parseHeader(text);
    else onText?.(entry.name, text);
    return { size: Buffer.byteLength(text), sha256: sha256(text) };
  }
}

function requireListed(found: string[], text: string): void {
  const listed = text.split(/(?<=\n)/);
  const at = listed.findIndex((line, index) => line !== found[index]);
  const changed = found[at] ?? found[listed.length];
  if (changed !== undefined)
    throw new BackupError(`the backup is damaged: ${JSON.parse(changed).name} does not match its manifest`);
  if (at >= 0) throw new BackupError("the backup is damaged: files are missing");
}

function parseEnd(text: string): End {
  const [json = "", hash] = text.split("\n");
  if (sha256(json) !== hash) throw new BackupError("the backup is damaged: end.json does not match its hash");
  return JSON.parse(json) as End;
}

function parseHeader(text: string): Header {
  let header: { format?: unknown } | null = null;
  try {
    header = JSON.parse(text);
  } catch {} // reported below
  if (header?.format !== 1)
    throw new BackupError("this backup has a format that this version of svc cannot read");
  return header as Header;
}
