/** Backups as a folder of files: `svc export` and `svc import`. */
import { mkdir, readdir, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { writeFile } from "../../files/stores/disk/files.ts";
import { type Archive, BackupError, type Entry, endName, headerName, requireName } from "./archive.ts";

/**
 * Prepares the folder of an export: it must be empty, or hold an earlier export, which is continued.
 * @throws {BackupError} if the folder holds anything else
 */
export async function prepareFolder(folder: string): Promise<void> {
  const names: string[] = await readdir(folder).catch((error) => {
    if (error.code === "ENOENT") return [];
    throw error;
  });
  if (names.some((name) => name !== partName) && !names.includes(headerName))
    throw new BackupError(`${folder} is not empty and is not an svc export; choose a new folder`);
  for (const name of [endName, "rows", "manifest", partName])
    await rm(join(folder, name), { recursive: true, force: true });
}

/**
 * Marks stored files that already exist with the same size, so that they are not copied again. A key is
 * written only once, so a file of this name came from an earlier, interrupted export.
 */
export async function* reuseExistingFiles(
  folder: string,
  entries: AsyncIterable<Entry>,
): AsyncGenerator<Entry> {
  for await (const entry of entries) {
    const path = join(folder, entry.name);
    const existing = isStoredFile(entry.name) ? await stat(path).catch(() => null) : null;
    if (existing?.size !== entry.size) yield entry;
    else {
      yield { ...entry, body: Bun.file(path).stream(), exists: true } as FolderEntry;
      await (entry.body as Partial<ReadableStream>).cancel?.();
    }
  }
}

type FolderEntry = Entry & { exists?: true };

const isStoredFile = (name: string): boolean => /^(private|public)\//.test(name);

/** A file that is not complete yet. Its own name could get too long: names of assets take up to 255 bytes. */
const partName = ".part";

/** Writes the entries as files below a folder. */
export async function writeFolder(folder: string, entries: AsyncIterable<FolderEntry>): Promise<void> {
  const part = join(folder, partName);
  for await (const { name, size, body, exists } of entries) {
    if (exists) {
      for await (const _ of body); // read it for its hash
      continue;
    }
    const path = join(folder, requireName(name));
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await rm(part, { force: true });
    await writeFile(part, body, { type: "", size, maxBytes: size });
    await rename(part, path);
  }
}

/** Reads an export: the files in the order of the manifests, and each manifest after its files. */
export const folderArchive = (folder: string): Archive =>
  async function* () {
    const fileOf = async (name: string): Promise<Entry> => {
      const file = Bun.file(join(folder, requireName(name)));
      if (!(await file.exists())) throw new BackupError(`the backup is incomplete: ${name} is missing`);
      return { name, size: file.size, body: file.stream() };
    };
    const manifests = await readdir(join(folder, "manifest")).catch(() => []);
    for (const manifest of manifests.sort().map((name) => requireName(`manifest/${name}`))) {
      for (const line of (await Bun.file(join(folder, manifest)).text()).split("\n"))
        if (line) yield await fileOf(nameIn(line));
      yield await fileOf(manifest);
    }
    if (!(await Bun.file(join(folder, endName)).exists()))
      throw new BackupError("the backup is truncated: end.json is missing");
    yield await fileOf(endName);
  };

function nameIn(line: string): string {
  try {
    return String(JSON.parse(line).name);
  } catch {
    throw new BackupError("the backup is damaged: a manifest cannot be read");
  }
}
