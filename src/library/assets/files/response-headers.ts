/**
 * Response headers of user files, sent by the service or by a bucket: Content-Type, Content-Disposition and
 * Cache-Control.
 */
import { Cache } from "../../../core/lib/cache.ts";
import { limits } from "../../../files/probe/limits.ts";
import { hasCharset, withCharset } from "../../../files/probe/text-encoding.ts";
import type { PutOptions, Store } from "../../../files/stores/store.ts";
import { storedFile } from "./stored-file.ts";

/** A published file never changes, but it can be unpublished: then a cache serves it for an hour at most. */
export const publicCacheControl = "public, max-age=3600, must-revalidate";

/** Types that a browser may show inline, none of which can run scripts. All others are downloaded. */
const inlineTypes = /^(image|video|audio)\/|^application\/pdf$|^text\/plain$/;

/** Whether browsers may show the type; others are downloads. */
export const isShownInline = (type: string): boolean => inlineTypes.test(type);

/** Content-Disposition. @param isPage a page that may run its scripts in an origin of its own */
export const dispositionOf = (type: string, filename: string, isPage: boolean): string =>
  `${isPage || isShownInline(type) ? "inline" : "attachment"}; ${filenameParameters(filename)}`;

/** Content-Disposition of a download, whatever the type. */
export const attachmentOf = (filename: string): string => `attachment; ${filenameParameters(filename)}`;

/** For a file that a public bucket serves itself. */
export const servingHeaders = (
  type: string,
  filename: string,
  isPage: boolean,
): NonNullable<PutOptions["serving"]> => ({
  cacheControl: publicCacheControl,
  disposition: dispositionOf(type, filename, isPage),
});

/** RFC 6266: an ASCII name for old clients and the exact name as `filename*`. */
function filenameParameters(name: string): string {
  const ascii = name.replace(/[^\x20-\x7e]|["\\%]/g, "_");
  const exact = encodeURIComponent(name.toWellFormed()).replace(
    /[!'()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `filename="${ascii}"; filename*=UTF-8''${exact}`;
}

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
  if (!hasCharset(type)) return type;
  const known = types.get(key);
  if (known) return known;
  const head = await storedFile(store, { key, size }).read(0, Math.min(size, limits.headBytes));
  const found = await withCharset(type, head, size);
  types.set(key, found);
  return found;
}

const nameBytesMax = 1024;

/** The name that a client sent, without folders; null if no system has such a file. */
export function sentName(sent: string): string | null {
  const name = sent
    .toWellFormed()
    .replaceAll("\0", "")
    .replace(/^(?:[a-z]:|\\\\).*\\|^.*\//is, "");
  return /^\.{0,2}$/.test(name) || Buffer.byteLength(name) > nameBytesMax ? null : name;
}

/** The name of a stored file: exact, or simplified in rows older than the column. */
export const fileNameOf = ({ filename, key }: { filename: string | null; key: string }): string =>
  filename ?? (key.split("/").at(-1) as string);
