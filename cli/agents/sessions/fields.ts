/** Reads known fields of parsed lines: what is none of the expected form is absent. */

export type Fields = Readonly<Record<string, unknown>>;

export const objectOf = (value: unknown): Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : {};

/** A name of a model, a branch or an id: one short line. */
export const nameOf = (value: unknown, lengthMax = 128): string | undefined =>
  typeof value === "string" && value.length <= lengthMax && /^[\x21-\x7e]+$/.test(value) ? value : undefined;

/** A short word such as `rate_limit`; undefined for prose. */
export const codeOf = (value: unknown): string | undefined =>
  typeof value === "string" && /^[\w.:-]{1,64}$/.test(value) ? value : undefined;

export const countOf = (value: unknown): number =>
  typeof value === "number" && value > 0 && value <= Number.MAX_SAFE_INTEGER ? Math.round(value) : 0;

/** RFC 3339 in UTC; undefined for anything that is no time since 2000. */
export function timeOf(value: unknown): string | undefined {
  const ms = typeof value === "string" ? Date.parse(value) : typeof value === "number" ? value : Number.NaN;
  return ms > earliestMs && ms < latestMs ? new Date(ms).toISOString() : undefined;
}
const earliestMs = Date.UTC(2000);
const latestMs = Date.UTC(9999);

/**
 * Parses a line; null for one that is no object of JSON. Names that are read from it are ASCII, so its bytes
 * need no decoding: of the texts around them, which are most of it, other characters come out wrong.
 */
export const parseLine = (line: Buffer): Fields | null => parseText(line.toString("latin1"));

export function parseText(text: string): Fields | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Fields) : null;
  } catch {
    return null;
  }
}
