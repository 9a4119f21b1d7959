/**
 * Streaming tar writer and reader (POSIX.1-2001 ustar with pax headers): regular files only. A pax header
 * holds names and sizes that do not fit the ustar header.
 */
import type { ByteStream } from "../stores/store.ts";
import { BackupError, type Entry, encodeText, requireName } from "./archive.ts";

const blockBytes = 512;
/** Largest size in a ustar header: eleven octal digits. */
const sizeMax = 8 ** 11 - 1;
const nameMax = 100;
const notReadable = "this is not an svc backup, or it is damaged";

export async function* createTar(entries: AsyncIterable<Entry>): AsyncGenerator<Uint8Array> {
  for await (const { name, size, body } of entries) {
    const records = [
      ...(fitsUstarName(name) ? [] : [paxRecord("path", name)]),
      ...(size > sizeMax ? [paxRecord("size", String(size))] : []),
    ].join("");
    if (records) {
      const bytes = encodeText(records);
      yield tarHeader("x", "longer-header", bytes.length);
      yield padToBlock(bytes);
    }
    yield tarHeader("0", fitsUstarName(name) ? name : "see-longer-header", size > sizeMax ? 0 : size);
    yield* body;
    const rest = size % blockBytes;
    if (rest > 0) yield new Uint8Array(blockBytes - rest);
  }
  yield new Uint8Array(2 * blockBytes);
}

const fitsUstarName = (name: string): boolean => name.length <= nameMax && /^[\x20-\x7e]+$/.test(name);

/** Encodes a pax record, `<length> <key>=<value>\n`. The length includes its own digits. */
function paxRecord(key: string, value: string): string {
  const rest = ` ${key}=${value}\n`;
  const bytes = Buffer.byteLength(rest);
  let length = bytes + 1;
  while (String(length).length + bytes !== length) length = String(length).length + bytes;
  return length + rest;
}

function padToBlock(bytes: Uint8Array): Uint8Array {
  const block = new Uint8Array(Math.ceil(bytes.length / blockBytes) * blockBytes);
  block.set(bytes);
  return block;
}

function tarHeader(type: "0" | "x", name: string, size: number): Uint8Array {
  const block = Buffer.alloc(blockBytes);
  const octal = (value: number, digits: number) => value.toString(8).padStart(digits, "0");
  block.write(name, 0, nameMax);
  block.write(
    `${octal(0o600, 7)}\0${octal(0, 7)}\0${octal(0, 7)}\0${octal(size, 11)}\0${octal(0, 11)}\0`,
    100,
  );
  block.write(`${" ".repeat(8)}${type}`, 148);
  block.write("ustar\x0000", 257);
  block.write(`${octal(checksum(block), 6)}\0 `, 148);
  return block;
}

const checksum = (block: Uint8Array): number =>
  block.reduce((sum, byte, at) => sum + (at >= 148 && at < 156 ? 0x20 : byte), 0);

/** Reads what `createTar` writes, and rejects every other kind of entry. */
export async function* readTar(source: ByteStream): AsyncGenerator<Entry> {
  const bytes = new ByteReader(source);
  try {
    let pax = new Map<string, string>();
    for (;;) {
      const block = await bytes.take(blockBytes);
      if (block.every((byte) => byte === 0)) return;
      const header = Buffer.from(block);
      const sum = Number.parseInt(header.toString("latin1", 148, 154), 8);
      if (header.toString("latin1", 257, 262) !== "ustar" || sum !== checksum(header))
        throw new BackupError(notReadable);
      const size = Number(pax.get("size") ?? Number.parseInt(header.toString("latin1", 124, 135), 8));
      const type = header.toString("latin1", 156, 157);
      const rest = (blockBytes - (size % blockBytes)) % blockBytes;
      if (type === "x" && size <= 64 * 2 ** 10) {
        pax = parsePaxRecords(await bytes.take(size));
        await bytes.take(rest);
        continue;
      }
      if (type !== "0" || !Number.isSafeInteger(size))
        throw new BackupError("the backup contains an unexpected entry; it was not made by svc");
      const name = pax.get("path") ?? header.toString("latin1", 0, nameMax).replace(/\0.*$/s, "");
      pax = new Map();
      const body = bytes.stream(size);
      yield { name: requireName(name), size, body };
      for await (const _ of body); // skip what the consumer did not read
      await bytes.take(rest);
    }
  } finally {
    await bytes.close();
  }
}

function parsePaxRecords(bytes: Uint8Array): Map<string, string> {
  const records = new Map<string, string>();
  for (let at = 0; at < bytes.length; ) {
    const length = Number.parseInt(Buffer.from(bytes.subarray(at, at + 12)).toString("latin1"), 10);
    const [, key, value] =
      /^\d+ ([a-z]+)=(.*)\n$/s.exec(Buffer.from(bytes.subarray(at, at + length)).toString()) ?? [];
    if (!length || key === undefined || value === undefined) throw new BackupError(notReadable);
    records.set(key, value);
    at += length;
  }
  return records;
}

/** Reads exact byte counts from a stream of chunks of any size. */
class ByteReader {
  readonly #chunks: AsyncIterator<Uint8Array>;
  #rest: Uint8Array = new Uint8Array();

  constructor(source: ByteStream) {
    this.#chunks = source[Symbol.asyncIterator]();
  }

  async take(count: number): Promise<Uint8Array> {
    const parts: Uint8Array[] = [];
    for await (const part of this.stream(count)) parts.push(part);
    return Buffer.concat(parts);
  }

  async *stream(count: number): AsyncGenerator<Uint8Array> {
    for (let left = count; left > 0; ) {
      if (this.#rest.length === 0) {
        const { value, done } = await this.#chunks.next();
        if (done) throw new BackupError("the backup is truncated");
        this.#rest = value;
      }
      const part = this.#rest.subarray(0, left);
      this.#rest = this.#rest.subarray(part.length);
      left -= part.length;
      yield part;
    }
  }

  async close(): Promise<void> {
    await this.#chunks.return?.();
  }
}
