/** Conditional requests (RFC 9110, 13): who holds an answer already is told that it still is the answer. */

/** @param field of `If-None-Match`; compared weakly, as it has to be */
export const etagMatches = (field: string | null, etag: string): boolean =>
  field !== null &&
  (field.trim() === "*" || field.split(",").some((tag) => opaque(tag.trim()) === opaque(etag)));

const opaque = (tag: string): string => tag.replace(/^W\//, "");
