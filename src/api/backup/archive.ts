/**
 * The backup format: a sequence of files in this order.
 *
 *   `svc-backup.json`             header: the program that made it, and when
 *   `rows/<table>/000001.ndjson`  rows of one snapshot, one JSON object per line
 *   `private/<key>`, `public/<key>`  the files of the two stores
 *   `manifest/000001.ndjson`      after every 1,000 files and at the end: name, size and SHA-256 of each
 *   `end.json`                    always last; a backup without it is truncated
 *
 * `svc export` writes them as files into a folder, `svc backup` as a tar into a file or a bucket.
 */
import { isKey } from "../../files/stores/keys.ts";
import type { ByteStream } from "../../files/stores/store.ts";

export interface Entry {
  name: string;
  size: number;
  /** Must be read to its end before the next entry is requested. */
  body: ByteStream;
  /** The SHA-256 that the body must have, if it is known from a row. */
  sha256?: string;
}

/** Reads a backup from its start. Each call starts again. */
export type Archive = () => AsyncIterable<Entry>;

export interface Header {
  format: 1;
  /** Version and commit of the program that made it. */
  made_by: string;
  made_at: string;
  migrations: string[];
  /** Whether it contains the files of the stores, not only rows. */
  bytes: boolean;
}

export interface End {
  entries: number;
  /** SHA-256 over the SHA-256 hashes of all manifests. */
  sha256: string;
  rows: Record<string, number>;
  /**
   * Ids of assets whose file was deleted by retention during the backup. A restore clears the key in their
   * rows.
   */
  swept: string[];
  /** Keys that a row references and the store does not have. */
  missing: string[];
  /** Files whose SHA-256 differs from their row's. */
  damaged: string[];
}

export const headerName = "svc-backup.json";
export const endName = "end.json";
/**
 * Largest text entry, in bytes. A rows file ends after the row that reaches 4 MiB, so ours are far smaller.
 */
export const textBytesMax = 64 * 2 ** 20;

/** The name of the nth file of a table, sorted by number as text. */
export const numberedName = (folder: string, number: number): string =>
  `${folder}/${String(number).padStart(6, "0")}.ndjson`;

/** The backup cannot be written or restored. The message is the one line that the user reads. */
export class BackupError extends Error {
  override name = "BackupError";
}

const textEntryNames =
  /^(svc-backup\.json|end\.json|manifest\/\d{6,9}\.ndjson|rows\/[a-z_]{1,63}\/\d{6,9}\.ndjson)$/;

/** Accepts only names that svc writes: a backup may come from an untrusted source. */
export function requireName(name: string): string {
  const [, key = ""] = /^(?:private|public)\/(.+)$/s.exec(name) ?? [];
  if (textEntryNames.test(name) || isKey(key)) return name;
  throw new BackupError("the backup contains an unexpected file; it was not made by svc");
}

export const encodeText = (content: string): Uint8Array => new TextEncoder().encode(content);

export async function* singleChunk(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

export function textEntry(name: string, content: string): Entry {
  const bytes = encodeText(content);
  return { name, size: bytes.length, body: singleChunk(bytes) };
}

/** The text of a small entry. @throws BackupError if it is larger than svc writes it */
export async function readText({ name, size, body }: Entry): Promise<string> {
  if (size > textBytesMax) throw new BackupError(`the backup's ${name} is larger than svc writes it`);
  return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(await Array.fromAsync(body)));
}
