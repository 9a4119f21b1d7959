/**
 * A tar (POSIX.1-2001), written and read as a stream: plain files alone, with a longer header for what the
 * short one cannot say.
 */
import type { ByteStream } from "../stores/store.ts";
import { BackupError, bytesOf, type Entry, requireName } from "./archive.ts";

const blockBytes = 512;
/** What eleven octal digits can say. */
const sizeMax = 8 ** 11 - 1;
const nameMax = 100;

export async function* tarOf(entries: AsyncIterable<Entry>): AsyncGenerator<Uint8Array> {
  for await (const { name, size, body } of entries) {
    const records = [
      ...(isShort(name) ? [] : [record("path", name)]),
      ...(size > sizeMax ? [record("size", String(size))] : []),
    ].join("");
    if (records) {
      const bytes = bytesOf(records);
      yield headerOf("x", "longer-header", bytes.length);
      yield padded(bytes);
    }
    yield headerOf("0", isShort(name) ? name : "see-longer-header", size > sizeMax ? 0 : size);
    yield* body;
    const rest = size % blockBytes;
    if (rest > 0) yield new Uint8Array(blockBytes - rest);
  }
  yield new Uint8Array(2 * blockBytes);
}

const isShort = (name: string): boolean => name.length <= nameMax && /^[\x20-\x7e]+$/.test(name);

/** `<length> <key>=<value>\n`, the length counting itself. */
function record(key: string, value: string): string {
  const rest = ` ${key}=${value}\n`;
  const bytes = Buffer.byteLength(rest);
  let length = bytes + 1;
  while (String(length).length + bytes !== length) length = String(length).length + bytes;
  return length + rest;
}

function padded(bytes: Uint8Array): Uint8Array {
  const whole = new Uint8Array(Math.ceil(bytes.length / blockBytes) * blockBytes);
  whole.set(bytes);
  return whole;
}

function headerOf(type: "0" | "x", name: string, size: number): Uint8Array {
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

/** Reads what `tarOf` writes, and refuses everything else. */
export async function* entriesOf(source: ByteStream): AsyncGenerator<Entry> {
  const bytes = new Chunks(source);
  try {
    let longer = new Map<string, string>();
    for (;;) {
      const block = await bytes.take(blockBytes);
      if (block.every((byte) => byte === 0)) return;
      const header = Buffer.from(block);
      const sum = Number.parseInt(header.toString("latin1", 148, 154), 8);
      if (header.toString("latin1", 257, 262) !== "ustar" || sum !== checksum(header))
        throw new BackupError("it is no backup, or damaged");
      const size = Number(longer.get("size") ?? Number.parseInt(header.toString("latin1", 124, 135), 8));
      const type = header.toString("latin1", 156, 157);
      const rest = (blockBytes - (size % blockBytes)) % blockBytes;
      if (type === "x" && size <= 64 * 2 ** 10) {
        longer = readRecords(await bytes.take(size));
        await bytes.take(rest);
        continue;
      }
      if (type !== "0" || !Number.isSafeInteger(size))
        throw new BackupError("it holds something that no backup has");
      const name = longer.get("path") ?? header.toString("latin1", 0, nameMax).replace(/\0.*$/s, "");
      longer = new Map();
      const body = bytes.stream(size);
      yield { name: requireName(name), size, body };
      for await (const _ of body); // what nobody wanted to read
      await bytes.take(rest);
    }
  } finally {
    await bytes.close();
  }
}

function readRecords(bytes: Uint8Array): Map<string, string> {
  const records = new Map<string, string>();
  for (let at = 0; at < bytes.length; ) {
    const length = Number.parseInt(Buffer.from(bytes.subarray(at, at + 12)).toString("latin1"), 10);
    const [, key, value] =
      /^\d+ ([a-z]+)=(.*)\n$/s.exec(Buffer.from(bytes.subarray(at, at + length)).toString()) ?? [];
    if (!length || key === undefined || value === undefined)
      throw new BackupError("it is no backup, or damaged");
    records.set(key, value);
    at += length;
  }
  return records;
}

/** Bytes by their number, however the chunks fall. */
class Chunks {
  readonly #chunks: AsyncIterator<Uint8Array>;
  #rest: Uint8Array = new Uint8Array();

  constructor(source: ByteStream) {
    this.#chunks = source[Symbol.asyncIterator]();
  }

  async take(count: number): Promise<Uint8Array> {
    const taken: Uint8Array[] = [];
    for await (const part of this.stream(count)) taken.push(part);
    return Buffer.concat(taken);
  }

  async *stream(count: number): AsyncGenerator<Uint8Array> {
    for (let left = count; left > 0; ) {
      if (this.#rest.length === 0) {
        const { value, done } = await this.#chunks.next();
        if (done) throw new BackupError("it was cut off");
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
