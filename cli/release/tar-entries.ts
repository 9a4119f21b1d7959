/** Entries of tar archives that root owns. */
import type { TarEntry } from "modern-tar";

export const tarFile = (name: string, body: Uint8Array, mtime: Date, mode = 0o644): TarEntry => ({
  header: { name, type: "file", size: body.length, mode, mtime, uid: 0, gid: 0 },
  body,
});

export const tarFolder = (name: string, mtime: Date, owner: Partial<TarEntry["header"]> = {}): TarEntry => ({
  header: { name: `${name}/`, type: "directory", size: 0, mode: 0o755, mtime, uid: 0, gid: 0, ...owner },
});
