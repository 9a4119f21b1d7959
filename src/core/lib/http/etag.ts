/** Entity tags of conditional requests (RFC 9110, 13). */

/** Whether an `If-None-Match` header matches the tag, by weak comparison (RFC 9110, 13.1.2). */
export const etagMatches = (header: string | null, etag: string): boolean =>
  header !== null &&
  (header.trim() === "*" || header.split(",").some((tag) => opaque(tag.trim()) === opaque(etag)));

const opaque = (tag: string): string => tag.replace(/^W\//, "");
