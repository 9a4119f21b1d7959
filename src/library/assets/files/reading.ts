/** What is read of a file when its page is first viewed, and then stored beside it. */

import { Cache } from "../../../core/lib/cache.ts";
import { SharedWork } from "../../../core/lib/shared-work.ts";
import type { FileSource } from "../../../files/probe/port.ts";
import { variantKey } from "../../../files/stores/keys.ts";
import type { LibraryContext } from "../../context.ts";
import { storedFile } from "./stored-file.ts";

/** A page is not delayed for longer: the next one has it. */
const waitMs = 3_000;

/** Of this process, by key: many may open the page of a file that takes long to read. */
const loads = new SharedWork<unknown>(waitMs);
/** Files that cannot be read, such as one that hangs its parser, and are not tried again for a while. */
const failures = new Cache<string, true>({ max: 1_000, maxAgeMs: 3_600_000 });

type Read<T> = (source: FileSource, mime: string) => Promise<T | null>;

/**
 * Returns what `read` returned for this file, now or earlier. Null if it returned null or takes too long.
 * @param filename of the stored JSON
 */
export async function loadReading<T>(
  ctx: LibraryContext,
  id: string,
  filename: string,
  read: Read<T>,
): Promise<T | null> {
  const key = variantKey(id, filename);
  const found = await loads.run(key, () => loadOrRead(ctx, id, key, read)).catch(() => null);
  return found === "running" ? null : (found as T | null);
}

async function loadOrRead<T>(
  { data, store }: LibraryContext,
  id: string,
  readingKey: string,
  read: Read<T>,
): Promise<T | null> {
  const asset = await data.asset(null, id);
  if (!store || !asset?.key || failures.get(readingKey)) return null;
  const { key, size, mime, uploader } = asset;
  const stored = await store.get(readingKey);
  if (stored) return (await new Response(stored.body).json()) as T;
  const reading = await read(storedFile(store, { key, size, owner: uploader ?? undefined }), mime);
  if (!reading) failures.set(readingKey, true);
  else {
    const text = new Blob([JSON.stringify(reading)]);
    const options = { type: "application/json", maxBytes: text.size };
    await store.put(readingKey, text.stream(), options).catch(() => {}); // read-only
  }
  return reading;
}
