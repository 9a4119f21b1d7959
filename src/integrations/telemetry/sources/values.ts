/**
 * Reads attributes: only these functions do, so that what reaches the database is a name, a number or an id.
 */
import { cleanLine } from "../../../core/lib/strings/clean-text.ts";
import { copyText } from "../../../core/lib/strings/copy-text.ts";
import type { Attributes } from "../records.ts";

const nameBytesMax = 128;

/** The first attribute that is a count, as a number or as text of digits; undefined if none is. */
export function readCount(attributes: Attributes, ...keys: readonly string[]): number | undefined {
  for (const key of keys) {
    const count = toCount(attributes.get(key));
    if (count !== undefined) return count;
  }
  return undefined;
}

/** A number of at least 0, rounded, and at most the largest that is exact. */
export function toCount(value: unknown): number | undefined {
  const number = toAmount(value);
  return number === undefined ? undefined : Math.min(Math.round(number), Number.MAX_SAFE_INTEGER);
}

const decimal = /^\d{1,20}(\.\d{1,20})?(e-?\d{1,3})?$/i;

/** A finite number of at least 0, given as a number or as its text. */
export function toAmount(value: unknown): number | undefined {
  if (
    typeof value === "string" ? !decimal.test(value) : typeof value !== "number" && typeof value !== "bigint"
  )
    return undefined;
  const number = Number(value);
  return Number.isFinite(number) && number >= 0 ? number : undefined;
}

/** The first attribute that is text with something in it, as one line of at most 128 bytes. */
export function readName(attributes: Attributes, ...keys: readonly string[]): string | undefined {
  for (const key of keys) {
    const name = toName(attributes.get(key));
    if (name !== undefined) return name;
  }
  return undefined;
}

/** A short, non-empty text; undefined for anything else. MLflow writes texts as JSON, with their quotes. */
export function toName(json: unknown): string | undefined {
  if (typeof json !== "string" || json === "") return undefined;
  const value = json.replace(/^"([^"\\]*)"$/, "$1");
  const start = value.length > 4 * nameBytesMax ? copyText(value.slice(0, 4 * nameBytesMax)) : value;
  return cleanLine(start, nameBytesMax) || undefined;
}

/** A short identifier such as `RateLimitError` or `429`; undefined for prose, which may quote a prompt. */
export function toCode(value: unknown): string | undefined {
  const text = typeof value === "number" || typeof value === "bigint" ? String(value) : value;
  return typeof text === "string" && /^[\w.:-]{1,64}$/.test(text) ? text : undefined;
}
