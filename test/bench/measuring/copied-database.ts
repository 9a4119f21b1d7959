/** Databases that several measurements begin with: each is made once in a process, and copied from then on. */
import { constants, mkdtempSync, rmSync } from "node:fs";
import { copyFile, mkdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** The files of those made before, by their names. */
const made = new Map<string, string>();

/** Removed when the process ends. */
export const madeFolder = mkdtempSync(join(tmpdir(), "svc-bench-made-"));
process.once("exit", () => rmSync(madeFolder, { recursive: true, force: true }));

/** @param make fills a new SQLite database, and closes it */
export async function copyDatabase(
  path: string,
  name: string,
  make: (path: string) => Promise<void>,
): Promise<void> {
  let source = made.get(name);
  if (source === undefined) {
    source = join(madeFolder, `${name}.db`);
    await make(source);
    made.set(name, source);
  }
  await mkdir(dirname(path), { recursive: true });
  await copyFile(source, path, constants.COPYFILE_FICLONE);
}
