/** A zip reader that trusts only the central directory, and inflates entries as a stream. */
import { pipeline } from "node:stream/promises";
import { crc32, createInflateRaw } from "node:zlib";
import { badRequest, type Problem } from "../../problem.ts";
import type { BlockReader } from "../bytes.ts";
import { limits } from "../limits.ts";

export interface Entry {
  /** Raw bytes: not yet validated. */
  name: Uint8Array;
  flags: number;
  method: number;
  crc: number;
  packedSize: number;
  size: number;
  /** Offset of its local header. */
  offset: number;
  /** File type and permissions of Unix in the upper half, attributes of DOS in the lower. */
  attributes: number;
  isFolder: boolean;
}

const signature = { local: 0x04034b50, central: 0x02014b50, end: 0x06054b50 } as const;
const headerBytes = { local: 30, central: 46, end: 22 } as const;
const commentBytesMax = 0xffff;
/** Supported compression methods. Others are rejected before anything is unpacked. */
export const method = { stored: 0, deflated: 8 } as const;

export const damaged = (what: string): Problem => badRequest(`The zip file is damaged: ${what}.`);

/** Reads the entries of the central directory, without their data. `at` is the directory's offset. */
export function readDirectory(file: BlockReader, bytesMax: number): { entries: Entry[]; at: number } {
  const end = findEnd(file);
  const [disk, startDisk, countHere, count] = [4, 6, 8, 10].map((at) => end.view.getUint16(at, true));
  const size = end.view.getUint32(12, true);
  const at = end.view.getUint32(16, true);
  if (disk !== 0 || startDisk !== 0 || countHere !== count)
    throw badRequest("The zip file is part of a split archive, which is not supported.");
  if (size > bytesMax) throw badRequest(`The zip file's central directory is larger than ${bytesMax} bytes.`);
  if (at + size !== end.at) throw damaged("its central directory is not where the end record says");
  const entries = [...entriesOf(file.read(at, size))];
  if ((entries.length & 0xffff) !== count) throw damaged("its end record has the wrong number of entries");
  return { entries, at };
}

/** Finds the end record, which may be followed only by a comment of the length it declares. */
function findEnd(file: BlockReader): { view: DataView; at: number } {
  const tailAt = Math.max(0, file.size - headerBytes.end - commentBytesMax);
  const tail = file.read(tailAt, file.size - tailAt);
  const view = new DataView(tail.buffer, tail.byteOffset, tail.length);
  for (let at = tail.length - headerBytes.end; at >= 0; at--) {
    const isEnd =
      view.getUint32(at, true) === signature.end &&
      view.getUint16(at + 20, true) === tail.length - at - headerBytes.end;
    if (isEnd)
      return { view: new DataView(tail.buffer, tail.byteOffset + at, headerBytes.end), at: tailAt + at };
  }
  throw damaged("it has no end record");
}

function* entriesOf(directory: Uint8Array): Generator<Entry> {
  const view = new DataView(directory.buffer, directory.byteOffset, directory.length);
  for (let at = 0; at < directory.length; ) {
    const isEntry =
      at + headerBytes.central <= directory.length && view.getUint32(at, true) === signature.central;
    if (!isEntry) throw damaged("its central directory has an invalid entry");
    const nameEnd = at + headerBytes.central + view.getUint16(at + 28, true);
    const end = nameEnd + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
    if (end > directory.length) throw damaged("its central directory is truncated");
    const name = directory.subarray(at + headerBytes.central, nameEnd);
    yield {
      name,
      flags: view.getUint16(at + 8, true),
      method: view.getUint16(at + 10, true),
      crc: view.getUint32(at + 16, true),
      packedSize: view.getUint32(at + 20, true),
      size: view.getUint32(at + 24, true),
      offset: view.getUint32(at + 42, true),
      attributes: view.getUint32(at + 38, true),
      isFolder: name.at(-1) === 0x2f,
    };
    at = end;
  }
}

/** Returns where an entry's data is. Its local header must have the same name and method as the directory. */
export function dataOf(file: BlockReader, entry: Entry): { start: number; end: number } {
  const header = file.read(entry.offset, headerBytes.local + entry.name.length);
  if (header.length < headerBytes.local + entry.name.length)
    throw damaged("an entry starts beyond the end of the file");
  const view = new DataView(header.buffer, header.byteOffset, header.length);
  const isSame =
    view.getUint32(0, true) === signature.local &&
    view.getUint16(8, true) === entry.method &&
    view.getUint16(26, true) === entry.name.length &&
    entry.name.every((byte, index) => header[headerBytes.local + index] === byte);
  if (!isSame) throw damaged("an entry does not match the central directory");
  const start = entry.offset + headerBytes.local + entry.name.length + view.getUint16(28, true);
  return { start, end: start + entry.packedSize };
}

/**
 * Unpacks an entry in chunks of at most `blockBytes` and checks its size and checksum. `take` may throw to
 * stop.
 */
export async function unpack(
  file: BlockReader,
  entry: Entry,
  at: { start: number; end: number },
  take: (bytes: Uint8Array) => void,
): Promise<void> {
  let size = 0;
  let crc = 0;
  const takeAll = async (pieces: Iterable<Uint8Array> | AsyncIterable<Uint8Array>) => {
    for await (const bytes of pieces) {
      size += bytes.length;
      if (size > entry.size) throw damaged("an entry is larger than it declares");
      crc = crc32(bytes, crc);
      take(bytes);
    }
  };
  const packed = blocksOf(file, at);
  if (entry.method === method.stored || at.start === at.end) await takeAll(packed);
  else {
    const inflate = createInflateRaw({ chunkSize: outputBytes(entry) });
    await pipeline(packed, inflate, takeAll).catch(rethrow);
    if (inflate.bytesWritten !== at.end - at.start) throw trailingData();
  }
  if (size !== entry.size || crc !== entry.crc)
    throw damaged("an entry's size or checksum does not match the central directory");
}

/**
 * Output buffer of inflate: small for small entries, and one byte larger than declared to detect excess data.
 */
const outputBytes = ({ size }: Entry): number => Math.min(limits.blockBytes, Math.max(64, size + 1));

/** Data after the end of the compressed stream: no reader uses it, so it is rejected. */
const trailingData = (): Problem => damaged("an entry is followed by extra data");

function* blocksOf(file: BlockReader, { start, end }: { start: number; end: number }): Generator<Uint8Array> {
  for (let at = start; at < end; at += limits.blockBytes)
    yield file.read(at, Math.min(limits.blockBytes, end - at));
}

/** Converts zlib errors to a Problem 400; rethrows those of `take` and of the file. */
function rethrow(error: Error & { code?: unknown }): never {
  const code = String(error.code);
  // it was done, and left what came then
  if (code === "ABORT_ERR" || code === "ERR_STREAM_PREMATURE_CLOSE") throw trailingData();
  throw code.startsWith("Z_") ? damaged("an entry cannot be decompressed") : error;
}
