/** Bytes that are to be looked at, wherever they lie. */
import { open } from "node:fs/promises";
import { resolve } from "node:path";
import { limits } from "./limits.ts";

export interface FileSource {
  size: number;
  /**
   * The bytes from `offset`, `length` of them or, at the end, fewer. What it throws reaches the caller: it is
   * not the file's fault.
   */
  read(offset: number, length: number): Promise<Uint8Array>;
  /** Its first bytes, where they are here already: as many as decide the type, or all. */
  head?: Uint8Array;
  /** Where the file lies on this machine, if it does; other programs are given this. Absolute. */
  path?: string;
}

export interface OpenFileSource extends FileSource {
  close(): Promise<void>;
}

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

export const bytesSource = (bytes: Uint8Array): FileSource => ({
  size: bytes.length,
  read: async (offset, length) => bytes.subarray(offset, offset + length),
});

/**
 * Puts the bytes into a file of this machine, for a program that knows files only. False where they are too
 * many or come too slowly.
 */
export async function copyToFile(source: FileSource, path: string, timeMs: number): Promise<boolean> {
  if (source.size > limits.copyBytes) return false;
  const late = Promise.withResolvers<null>();
  const timer = setTimeout(() => late.resolve(null), timeMs);
  const file = await open(path, "wx");
  try {
    for (let at = 0; at < source.size; at += limits.frameBytes) {
      const read = source.read(at, Math.min(limits.frameBytes, source.size - at));
      read.catch(() => {}); // it may fail when nobody listens
      const bytes = await Promise.race([read, late.promise]);
      if (bytes === null) return false;
      await file.writeFile(bytes);
    }
    return true;
  } finally {
    clearTimeout(timer);
    await file.close();
  }
}
