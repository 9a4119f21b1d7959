/**
 * Finds a folder in memory for the tests' data: a new Postgres database creates about 300 files, and each
 * upload waits for three fsyncs.
 */
import { readFile, statfs } from "node:fs/promises";

const folder = "/dev/shm";
/** More than the tests use at the same time. */
const freeBytesMin = 4 * 2 ** 30;

/** Returns null if there is none, if it is small, as in most containers, or if it is mounted `noexec`. */
export async function memoryFolder(): Promise<string | null> {
  try {
    const { bavail, bsize } = await statfs(folder);
    const mount = (await readFile("/proc/mounts", "utf8"))
      .split("\n")
      .find((line) => line.split(" ")[1] === folder);
    return mount && !/\bnoexec\b/.test(mount) && bavail * bsize >= freeBytesMin ? folder : null;
  } catch {
    return null; // not Linux
  }
}
