/**
 * How a file of a user goes out, from here or from a bucket: shown by the browser or saved, and for how long
 * it may be cached.
 */
import type { PutOptions } from "../stores/store.ts";

/** What is published under a key never changes. */
export const publicCacheControl = "public, max-age=31536000, immutable";

/** What a browser may show by itself; the rest is saved. Nothing of it may run. */
const inlineTypes = /^(image|video|audio)\/|^application\/pdf$|^text\/plain$/;

/** Content-Disposition. @param isPage a page that may run its scripts in an origin of its own */
export const dispositionOf = (type: string, filename: string, isPage: boolean): string =>
  `${isPage || inlineTypes.test(type) ? "inline" : "attachment"}; ${filenameParameters(filename)}`;

/** For a file that a public bucket serves itself. */
export const servingHeaders = (
  type: string,
  key: string,
  isPage: boolean,
): NonNullable<PutOptions["serving"]> => ({
  cacheControl: publicCacheControl,
  disposition: dispositionOf(type, key.split("/").at(-1) as string, isPage),
});

/** RFC 6266: a plain name for old readers, the exact one beside it. */
function filenameParameters(name: string): string {
  const ascii = name.replace(/[^\x20-\x7e]|["\\%]/g, "_");
  const exact = encodeURIComponent(name.toWellFormed()).replace(
    /[!'()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `filename="${ascii}"; filename*=UTF-8''${exact}`;
}
