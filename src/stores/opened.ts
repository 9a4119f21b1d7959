/**
 * Files that are read in small parts stay open for a moment: to find one, to see that no link leads to it and to open it takes
 * longer than to read the part. What is kept under a key never changes, so an open file is as good as a fresh one.
 */
import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { unavailable } from "../problem.ts";
import { fault, fileAt, orMissing } from "./disk.ts";
import type { ByteRange } from "./store.ts";

const keptMs = 1_000;
const keptMax = 64;

export interface OpenFile {
  handle: FileHandle;
  size: number;
}

interface Kept {
  file: Promise<OpenFile | null>;
  readers: number;
  isForgotten: boolean;
}

export class OpenFiles {
  readonly #kept = new Map<string, Kept>();

  /** What is made of the file; null where there is none. */
  async use<T>(path: string, work: (file: OpenFile) => T | Promise<T>): Promise<T | null> {
    const kept = this.#kept.get(path) ?? this.#open(path);
    kept.readers++;
    try {
      const file = await kept.file;
      return file && (await work(file));
    } catch (error) {
      this.forget(path, kept);
      throw fault(error);
    } finally {
      kept.readers--;
      close(kept);
    }
  }

  /** Whoever reads it now reads on; whoever comes later looks again. */
  forget(path: string, kept = this.#kept.get(path)): void {
    if (!kept || kept.isForgotten) return;
    if (this.#kept.get(path) === kept) this.#kept.delete(path);
    kept.isForgotten = true;
    close(kept);
  }

  #open(path: string): Kept {
    const [oldest] = this.#kept.keys();
    if (this.#kept.size >= keptMax && oldest !== undefined) this.forget(oldest);
    const kept = { file: openFile(path), readers: 0, isForgotten: false };
    this.#kept.set(path, kept);
    const forget = () => this.forget(path, kept);
    setTimeout(forget, keptMs).unref();
    kept.file.then((file) => file ?? forget(), forget);
    return kept;
  }
}

function close({ file, readers, isForgotten }: Kept): void {
  if (!isForgotten || readers > 0) return;
  file.then(
    (opened) => opened?.handle.close(),
    () => {}, // it was never open
  );
}

async function openFile(path: string): Promise<OpenFile | null> {
  if (!(await fileAt(path))) return null;
  const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW).catch(orMissing);
  return handle && { handle, size: (await handle.stat()).size };
}

export async function bytesOf({ handle }: OpenFile, { start, end }: ByteRange): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = new Uint8Array(end - start);
  for (let done = 0; done < bytes.length; ) {
    const { bytesRead } = await handle.read(bytes, done, bytes.length - done, start + done);
    if (bytesRead === 0) throw unavailable("A file of the store is shorter than it was.");
    done += bytesRead;
  }
  return bytes;
}
