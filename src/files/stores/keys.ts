/**
 * The names of objects. Six kinds, distinguished by their first segment, which is a slug or reserved by svc:
 *
 *   `<project>/<id>/<path>`   bytes of an asset; in the public store also the files of its bundle
 *   `_pending/<id>`           an upload to a bucket that no asset has taken over yet, the only kind that a
 *                              URL of the bucket can write; a form whose file precedes its project
 *   `_segments/<id>/<id>`     a piece of a resumable upload, whose id comes first
 *   `_variants/<id>/<path>`   made from an asset: its thumbnail, the files of its bundle
 *   `_probe/<id>`             a store trying itself out
 *   `_deployment`             the id of the deployment that the store belongs to; never listed
 *
 * An id is a ULID in capitals, a path one or more segments. Text outside of this grammar never reaches a disk
 * or a bucket.
 */
import { normalizeUnicode } from "../../core/lib/strings/nfc.ts";
import { badRequest } from "../../core/problem.ts";
import { Slug } from "../../core/wire.ts";

/** S3 takes 1024 bytes, of which the prefix of a deployment uses some. */
const keyBytesMax = 896;
const nameBytesMax = 255;

const slug = Slug.pattern?.slice(1, -1) as string;
const ulid = "[0-7][0-9A-HJKMNP-TV-Z]{25}";
/**
 * A character of a name: what is printed, spaces, and the joiners, tags, and marks of direction and of line
 * breaks that emoji, some scripts, and names copied from pages have. No separator, and no other control or
 * format character: one that turns the direction would make a name look like another one.
 */
export const nameCharacter =
  String.raw`(?:(?![/\\\ufffd])[\p{L}\p{M}\p{N}\p{P}\p{S}\p{Zs}` +
  String.raw`\u00ad\u200b-\u200f\u2060\ufeff\u{e0020}-\u{e007f}])`;
/** What a server that decodes a URL twice would take for the parent folder, or for a separator. */
export const encodedTraversal = /(?:^|\/)(?:\.|%2e){1,2}(?:\/|$)|%(?:2f|5c)/i;
const segment = String.raw`(?!\.{1,2}(?:/|$))${nameCharacter}+`;
const path = `${segment}(?:/${segment})*`;
const keyShape = new RegExp(
  `^(?:${slug}/${ulid}/${path}|_pending/${ulid}|_segments/${ulid}/${ulid}` +
    `|_variants/${ulid}/${path}|_probe/${ulid}|_deployment)$`,
  "u",
);
const prefixShape = new RegExp(
  `^(?:${slug}/(?:${ulid}/(?:${path}/)?)?|_pending/|_segments/(?:${ulid}/)?` +
    `|_variants/(?:${ulid}/(?:${path}/)?)?|_probe/)?$`,
  "u",
);

export const assetKey = (project: string, id: string, filename: string): string =>
  requireKey(`${project}/${id}/${safeName(filename)}`);
export const pendingKey = (id: string): string => requireKey(`_pending/${id}`);
/** Prefix of the pieces of one resumable upload. */
export const segmentPrefix = (id: string): string => `_segments/${id}/`;
export const segmentKey = (id: string, name: string): string => requireKey(segmentPrefix(id) + name);
export const variantKey = (id: string, path: string): string => requireKey(`_variants/${id}/${path}`);
export const probeFolder = "_probe/";
export const probeKey = (id: string): string => requireKey(probeFolder + id);
export const deploymentKey = "_deployment";

/** Whether a text can be a key: valid in a bucket and as a path on every disk. */
export function isKey(text: string): boolean {
  if (text.length > keyBytesMax || !keyShape.test(text) || Buffer.byteLength(text) > keyBytesMax)
    return false;
  if (encodedTraversal.test(text)) return false;
  // Two Unicode normalizations of a name would be one file on some disks and two objects in a bucket.
  return (
    normalizeUnicode(text) === text &&
    text.split("/").every((name) => Buffer.byteLength(name) <= nameBytesMax)
  );
}

/** Whether `list` returns this key. */
export const isListed = (text: string): boolean => text !== deploymentKey && isKey(text);

export function requireKey(text: string): string {
  if (!isKey(text)) throw badRequest("Invalid storage key.");
  return text;
}

/** Validates a prefix for `list`: empty, or leading segments of a key, each with its slash. */
export function requirePrefix(text: string): string {
  if (!isPrefix(text)) throw badRequest("Invalid storage key prefix.");
  return text;
}

/** Whether a text can be the start of keys, up to a slash. */
export const isPrefix = (text: string): boolean => text.length <= keyBytesMax && prefixShape.test(text);

/** Percent-encodes a key as the path of a URL. */
export const encodeKey = (key: string): string => key.split("/").map(encodeSegment).join("/");

/** Percent-encodes everything but the unreserved characters of RFC 3986, section 2.3. */
export const encodeSegment = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);

/** Device names of Windows, with any extension. */
const device = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;

/**
 * Returns a file name that is safe in a path, a header, a page and a shell: ASCII letters, digits and `._-`.
 */
export function safeName(name: string): string {
  const last = name.slice(-4096).replace(/^.*[/\\]/s, "");
  const plain = normalizeUnicode(last, "NFKD").replace(/\p{M}+/gu, "");
  const [extension = ""] = /\.[A-Za-z0-9]{1,16}$/.exec(plain) ?? [];
  const stem = plain
    .slice(0, plain.length - extension.length)
    .replace(/[^A-Za-z0-9._-]+/g, "-")
    .replace(/\.{2,}/g, ".")
    .replace(/^[.-]+|[.-]+$/g, "")
    .slice(0, nameBytesMax - extension.length);
  const safe = `${stem || "file"}${extension}`;
  return device.test(safe) ? `_${safe}`.slice(0, nameBytesMax) : safe;
}
