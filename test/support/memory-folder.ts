/**
 * Where the system keeps files in memory. A new database of Postgres is three hundred of them, and each
 * upload waits for the disk three times.
 */
import { readFile, statfs } from "node:fs/promises";

const folder = "/dev/shm";
/** More than the tests ever hold at once. */
const freeBytesMin = 4 * 2 ** 30;

/**
 * Null where there is none, or one for small things only, as in most containers, or one that runs no
 * programs.
 */
export async function memoryFolder(): Promise<string | null> {
  try {
    const { bavail, bsize } = await statfs(folder);
    const mount = (await readFile("/proc/mounts", "utf8"))
      .split("\n")
      .find((line) => line.split(" ")[1] === folder);
    return mount && !/\bnoexec\b/.test(mount) && bavail * bsize >= freeBytesMin ? folder : null;
  } catch {
    return null; // another system
  }
}
