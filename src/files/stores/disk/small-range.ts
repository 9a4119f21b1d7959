/** Small ranges of files, read at once: Bun also reads the body of a `Bun.file` synchronously, at more cost. */
import { closeSync, openSync, readSync } from "node:fs";
import { unavailable } from "../../../core/problem.ts";
import { nullIfMissing } from "./files.ts";

/** Longer ranges are sent by the kernel, without a copy, for less CPU (`bun run bench download`). */
export const smallRangeBytes = 64 * 2 ** 10;

const memory = Buffer.allocUnsafeSlow(smallRangeBytes);

/**
 * Reads the bytes from `start` up to `end` into memory that the next call reuses: a `Response` copies it.
 * @returns null if there is no such file
 * @throws {Problem} 503 if the file cannot be read, or not all of the range
 */
export function readSmallRange(path: string, start: number, end: number): Uint8Array<ArrayBuffer> | null {
  const length = end - start;
  let fd: number | undefined;
  try {
    fd = openSync(path, "r");
    if (readSync(fd, memory, 0, length, start) < length) throw unavailable("The file ends too early.");
    return memory.subarray(0, length);
  } catch (error) {
    return nullIfMissing(error);
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}
