/** Databases that several measurements begin with: each is made once in a process, and copied from then on. */
import { constants, mkdtempSync, rmSync } from "node:fs";
import { copyFile, mkdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** The files of those made before, by their names; removed when the process ends. */
const made = new Map<string, string>();

/** @param make fills a new SQLite database, and closes it */
export async function copyDatabase(
  path: string,
  name: string,
  make: (path: string) => Promise<void>,
): Promise<void> {
  let source = made.get(name);
  if (source === undefined) {
    const folder = mkdtempSync(join(tmpdir(), "svc-bench-made-"));
    process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
    source = join(folder, "svc.db");
    await make(source);
    made.set(name, source);
  }
  await mkdir(dirname(path), { recursive: true });
  await copyFile(source, path, constants.COPYFILE_FICLONE);
}
