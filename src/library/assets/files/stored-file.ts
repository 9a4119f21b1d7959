/** A file in a store, as inspections read it: by range, since they need only parts of it. */

import { notFound } from "../../../core/problem.ts";
import type { FileSource } from "../../../files/probe/port.ts";
import type { Store } from "../../../files/stores/store.ts";

export const storedFile = (
  store: Store,
  { key, ...source }: Omit<FileSource, "read" | "path"> & { key: string },
): FileSource => ({
  ...source,
  async read(offset, length) {
    const stored = await store.get(key, { start: offset, end: offset + length });
    if (!stored) throw deleted();
    if (!stored.readNow) return (stored.file ?? new Response(stored.body)).bytes();
    const bytes = stored.readNow();
    if (!bytes) throw deleted();
    return new Uint8Array(bytes); // a copy, as the next call reuses the memory
  },
});

const deleted = () => notFound("The uploaded file has been deleted. Upload it again.");
