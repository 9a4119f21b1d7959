/**
 * Response headers of user files, sent by the service or by a bucket: Content-Disposition and Cache-Control.
 */
import type { PutOptions } from "../../../files/stores/store.ts";

/** A published file never changes. */
export const publicCacheControl = "public, max-age=31536000, immutable";

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
