/**
 * Cursors of keyset pages: an instant as eight bytes in base64url, and what else places a row behind it as it
 * is. So the pattern of the document says exactly which texts are cursors, and each of them is a position.
 */
import { Kind, Type, TypeRegistry } from "@sinclair/typebox";
import type { Micros } from "./time.ts";

/** 64 bits in eleven characters: the last one holds four of them. */
const instantPattern = "[A-Za-z0-9_-]{10}[AEIMQUYcgkosw048]";
const instantLength = 11;

TypeRegistry.Set<{ pattern: string }>(
  "Cursor",
  ({ pattern }, value) => typeof value === "string" && new RegExp(pattern).test(value),
);

/** @param rest pattern of what follows the instant */
export const Cursor = (rest = "") =>
  Type.Unsafe<string>({
    ...{ [Kind]: "Cursor", type: "string", pattern: `^${instantPattern}${rest}$` },
    description: "`next_cursor` of the previous page, with the same filters.",
  });

/** Comes before every instant that is one, as rows without an instant are last. */
const none = -(2n ** 63n);

export const cursorOf = (ts: Micros | null, rest = ""): string => {
  const bytes = Buffer.allocUnsafe(8);
  bytes.writeBigInt64BE(ts === null ? none : BigInt(ts));
  return bytes.toString("base64url") + rest;
};

/** Of a text that fits the schema. */
export function readCursor(cursor: string): { ts: Micros | null; rest: string } {
  const ts = Number(Buffer.from(cursor.slice(0, instantLength), "base64url").readBigInt64BE());
  const nearest = Math.min(ts, Number.MAX_SAFE_INTEGER);
  return { ts: nearest < Number.MIN_SAFE_INTEGER ? null : nearest, rest: cursor.slice(instantLength) };
}
