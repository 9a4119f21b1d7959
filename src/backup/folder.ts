/** A backup as a folder of files. */
import { mkdir, readdir, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { writeFile } from "../stores/disk.ts";
import { type Archive, BackupError, type Entry, endName, headerName, requireName } from "./archive.ts";

/**
 * Names what a folder has to begin with, before it is written: what a run left that was killed, but nothing
 * of anybody else.
 */
export async function prepareFolder(folder: string): Promise<void> {
  const names: string[] = await readdir(folder).catch((error) => {
    if (error.code === "ENOENT") return [];
    throw error;
  });
  if (names.length > 0 && !names.includes(headerName))
    throw new BackupError(`${folder} is not empty, and no export of svc`);
  for (const name of [endName, "rows", "manifest"])
    await rm(join(folder, name), { recursive: true, force: true });
}

/**
 * Files of bytes that are there by the same name and size stay: a key is written once, so they are what an
 * earlier run wrote.
 */
export async function* keepingFiles(folder: string, entries: AsyncIterable<Entry>): AsyncGenerator<Entry> {
  for await (const entry of entries) {
    const path = join(folder, entry.name);
    const there = isBytes(entry.name) ? await stat(path).catch(() => null) : null;
    if (there?.size !== entry.size) yield entry;
    else {
      yield { ...entry, body: Bun.file(path).stream(), isThere: true } as Kept;
      await (entry.body as Partial<ReadableStream>).cancel?.();
    }
  }
}

type Kept = Entry & { isThere?: true };

const isBytes = (name: string): boolean => /^(private|public)\//.test(name);

export async function writeFolder(folder: string, entries: AsyncIterable<Kept>): Promise<void> {
  for await (const { name, size, body, isThere } of entries) {
    if (isThere) {
      for await (const _ of body); // for its hash
      continue;
    }
    const path = join(folder, requireName(name));
    const part = `${path}.part`;
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await rm(part, { force: true });
    await writeFile(part, body, { type: "", size, maxBytes: size });
    await rename(part, path);
  }
}

/** The files that the manifests name, in their order, and the manifests between them. */
export const folderArchive = (folder: string): Archive =>
  async function* () {
    const fileOf = async (name: string): Promise<Entry> => {
      const file = Bun.file(join(folder, requireName(name)));
      if (!(await file.exists())) throw new BackupError(`${name} is missing`);
      return { name, size: file.size, body: file.stream() };
    };
    const manifests = await readdir(join(folder, "manifest")).catch(() => []);
    for (const manifest of manifests.sort().map((name) => requireName(`manifest/${name}`))) {
      for (const line of (await Bun.file(join(folder, manifest)).text()).split("\n"))
        if (line) yield await fileOf(nameIn(line));
      yield await fileOf(manifest);
    }
    if (!(await Bun.file(join(folder, endName)).exists()))
      throw new BackupError("it was cut off: its end is missing");
    yield await fileOf(endName);
  };

function nameIn(line: string): string {
  try {
    return String(JSON.parse(line).name);
  } catch {
    throw new BackupError("a manifest is damaged");
  }
}
