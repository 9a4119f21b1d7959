/** The media type that a file is served with: that of a text names its encoding. */

import { Cache } from "../../../core/lib/cache.ts";
import { limits } from "../../../files/probe/limits.ts";
import { withCharset } from "../../../files/probe/text-encoding.ts";
import type { Store } from "../../../files/stores/store.ts";
import { storedFile } from "./stored-file.ts";

interface TypedFile {
  key: string;
  type: string;
  /** In bytes. */
  size: number;
}

/** Of this process, by key: objects do not change. */
const types = new Cache<string, string>({ max: 10_000 });

/** Reads the beginning of a text. @throws {Problem} 404 if the file is gone, 503 if the store fails */
export async function contentTypeOf(store: Store, { key, type, size }: TypedFile): Promise<string> {
  if (!type.startsWith("text/")) return type;
  const known = types.get(key);
  if (known) return known;
  const head = await storedFile(store, { key, size }).read(0, Math.min(size, limits.headBytes));
  const found = await withCharset(type, head, size);
  types.set(key, found);
  return found;
}
