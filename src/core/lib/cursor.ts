/**
 * Cursors of keyset pagination: a timestamp as eight bytes in base64url, followed by a tiebreaker in plain
 * text. The pattern matches exactly the valid cursors, and each of them is a position.
 */
import { Kind, Type, TypeRegistry } from "@sinclair/typebox";
import type { Micros } from "./time.ts";

/** 64 bits in eleven base64url characters; the last one holds four bits. */
const instantPattern = "[A-Za-z0-9_-]{10}[AEIMQUYcgkosw048]";
const instantLength = 11;

TypeRegistry.Set<{ pattern: string }>(
  "Cursor",
  ({ pattern }, value) => typeof value === "string" && new RegExp(pattern).test(value),
);

/** Schema of a cursor. @param rest pattern of the tiebreaker after the timestamp */
export const Cursor = (rest = "") =>
  Type.Unsafe<string>({
    [Kind]: "Cursor",
    type: "string",
    pattern: `^${instantPattern}${rest}$`,
    description: "`next_cursor` of the previous page, with the same filters.",
  });

/** Stands for a missing timestamp. It sorts before all others, as rows without a timestamp come last. */
const none = -(2n ** 63n);

/** The cursor of a position. */
export const cursorOf = (ts: Micros | null, rest = ""): string => {
  const bytes = Buffer.allocUnsafe(8);
  bytes.writeBigInt64BE(ts === null ? none : BigInt(ts));
  return bytes.toString("base64url") + rest;
};

/** Parses a cursor that has passed schema validation. */
export function readCursor(cursor: string): { ts: Micros | null; rest: string } {
  const ts = Number(Buffer.from(cursor.slice(0, instantLength), "base64url").readBigInt64BE());
  const clamped = Math.min(ts, Number.MAX_SAFE_INTEGER);
  return { ts: clamped < Number.MIN_SAFE_INTEGER ? null : clamped, rest: cursor.slice(instantLength) };
}

/** A page of the rows of a query for one more than the limit. @param cursorOfLast the cursor of its last row */
export function pageOf<Row>(rows: readonly Row[], limit: number, cursorOfLast: (last: Row) => string) {
  const page = rows.slice(0, limit);
  const last = rows.length > limit ? page.at(-1) : undefined;
  return { page, next_cursor: last === undefined ? null : cursorOfLast(last) };
}
