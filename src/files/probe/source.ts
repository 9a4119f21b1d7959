/** Files to inspect, in memory, on disk or in a store. */

import { open } from "node:fs/promises";
import { resolve } from "node:path";
import { unlessAborted } from "../../core/lib/until-aborted.ts";
import { limits } from "./limits.ts";
import type { FileSource } from "./port.ts";
import type { Log } from "./sandbox/process-runner.ts";

export interface OpenFileSource extends FileSource {
  close(): Promise<void>;
}

/** Opens a file on the disk as a source; close it after use. */
export async function openFile(path: string): Promise<OpenFileSource> {
  const file = await open(path);
  const { size } = await file.stat();
  return {
    size,
    path: resolve(path),
    async read(offset, length) {
      const { buffer, bytesRead } = await file.read(new Uint8Array(length), 0, length, offset);
      return buffer.subarray(0, bytesRead);
    },
    close: () => file.close(),
  };
}

/** Bytes in memory as a source. */
export const bytesSource = (bytes: Uint8Array): FileSource => ({
  size: bytes.length,
  read: async (offset, length) => bytes.subarray(offset, offset + length),
});

/** Files one after the other, of the owner of the last. */
export const joinedSource = (...files: FileSource[]): FileSource => ({
  size: files.reduce((sum, { size }) => sum + size, 0),
  owner: files.at(-1)?.owner,
  async read(offset, length) {
    let start = 0;
    const parts = files.flatMap((file) => {
      const [from, to] = [
        Math.max(offset, start) - start,
        Math.min(offset + length, start + file.size) - start,
      ];
      start += file.size;
      return from < to ? [file.read(from, to - from)] : [];
    });
    const read = await Promise.all(parts);
    return read.length === 1 ? (read[0] as Uint8Array) : Buffer.concat(read);
  },
});

/** The first bytes of a file; undefined if its store does not deliver them in time. */
export async function headOf(source: FileSource): Promise<Uint8Array | undefined> {
  const late = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => late.resolve(undefined), limits.headMs);
  const read = source.read(0, Math.min(limits.headBytes, source.size));
  read.catch(() => {}); // it may fail after the timeout
  return Promise.race([read, late.promise]).finally(() => clearTimeout(timer));
}

/**
 * Copies a source to a local file for a helper program.
 * @returns false if it is too large or too slow, or if the file cannot be written, which is logged
 */
export async function copyToFile(
  source: FileSource,
  path: string,
  { timeMs, log }: { timeMs: number; log: Log },
): Promise<boolean> {
  if (source.size > limits.copyBytes) return false;
  const failed = (error: Error): null => {
    log("warn", "a file could not be copied to the temporary folder", { error: error.message });
    return null;
  };
  const file = await open(path, "wx").catch(failed);
  if (!file) return false;
  const late = AbortSignal.timeout(timeMs);
  try {
    for (let at = 0; at < source.size; at += limits.frameBytes) {
      const read = source.read(at, Math.min(limits.frameBytes, source.size - at));
      const bytes = await unlessAborted(read, late);
      const isWritten = bytes && (await file.writeFile(bytes).then(() => true, failed));
      if (!isWritten) return false;
    }
    return true;
  } finally {
    await file.close();
  }
}
