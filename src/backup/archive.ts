/**
 * What a backup is, in whatever it is kept: files, in this order.
 *
 *   `svc-backup.json`             what made it, and when
 *   `rows/<table>/000001.ndjson`  rows, one a line, as they were at one moment
 *   `private/<key>`, `public/<key>`  the bytes of the two stores
 *   `manifest/000001.ndjson`      after so many files, and at the end: name, size and SHA-256 of those before it
 *   `end.json`                    the last one; without it the backup was cut off
 *
 * In a folder these are files, in a file or a bucket they are a tar of them.
 */
import { isKey } from "../stores/keys.ts";
import type { ByteStream } from "../stores/store.ts";

export interface Entry {
  name: string;
  size: number;
  /** To be read to its end before the next entry is asked for. */
  body: ByteStream;
  /** What it has to add up to, where somebody has said so before. */
  sha256?: string;
}

/** Reads a backup from its beginning, each time anew. */
export type Archive = () => AsyncIterable<Entry>;

export interface Header {
  format: 1;
  /** The program that made it. */
  made_by: string;
  made_at: string;
  migrations: string[];
  /** Whether it holds the bytes as well. */
  bytes: boolean;
}

export interface End {
  entries: number;
  /** SHA-256 over the hashes of all manifests. */
  sha256: string;
  rows: Record<string, number>;
  /** Assets whose time was over while the backup was made: their rows lose their bytes. */
  swept: string[];
  /** Keys that a row promises and the store does not have. */
  missing: string[];
  /** Files that are not what their row says. */
  damaged: string[];
}

export const headerName = "svc-backup.json";
export const endName = "end.json";
/** The largest text that is read whole: a file of rows ends after the row that reaches four megabytes. */
export const textBytesMax = 64 * 2 ** 20;

export const numbered = (folder: string, number: number): string =>
  `${folder}/${String(number).padStart(6, "0")}.ndjson`;

/** A backup that cannot be used; its message is the one line the operator reads. */
export class BackupError extends Error {
  override name = "BackupError";
}

const text = /^(svc-backup\.json|end\.json|manifest\/\d{6,9}\.ndjson|rows\/[a-z_]{1,63}\/\d{6,9}\.ndjson)$/;

/** Names of ours and no others: a backup may come from anywhere. */
export function requireName(name: string): string {
  const [, key = ""] = /^(?:private|public)\/(.+)$/s.exec(name) ?? [];
  if (text.test(name) || isKey(key)) return name;
  throw new BackupError("it holds a file that no backup has");
}

export const bytesOf = (said: string): Uint8Array => new TextEncoder().encode(said);

export async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

export function textEntry(name: string, said: string): Entry {
  const bytes = bytesOf(said);
  return { name, size: bytes.length, body: once(bytes) };
}

export async function readText({ size, body }: Entry): Promise<string> {
  if (size > textBytesMax) throw new BackupError("it holds a text that is longer than any of ours");
  return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(await Array.fromAsync(body)));
}
