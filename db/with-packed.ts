/** Pages that may reach into what is packed: what `events` alone gave of them, made whole. */
import { recalledEvents } from "../src/memory/schema.ts";
import type { Rendered } from "../src/rows.ts";
import type { Micros } from "../src/time.ts";
import { filters } from "./facets.ts";
import { type Asked, isCommon, packedMergedPage } from "./merged.ts";
import { packedPage, says } from "./packed.ts";
import type { Session } from "./session.ts";
import type { Direction } from "./stretch.ts";

interface Found {
  count: number;
  /** Of the last one; null where there is none. */
  last: Micros | null;
}

/** Events that recall finds are never packed. @param until time of the newest packed event, null where none is */
export function reachesPacked(
  { kind, after = Number.NEGATIVE_INFINITY, limit }: Asked,
  { count, last }: Found,
  direction: Direction,
  until: Micros | null,
) {
  if (until === null || (kind !== undefined && recalledEvents.has(kind))) return false;
  return (direction === "newest first" && last !== null && count >= limit ? last : after) < until;
}

/** @param found what `events` has of the page, read before `until` was */
export async function withPacked(
  session: Session,
  asked: Asked,
  found: Rendered[],
  direction: Direction,
  until: Micros | null,
): Promise<Rendered[]> {
  if (!reachesPacked(asked, { count: found.length, last: found.at(-1)?.ts ?? null }, direction, until)) return found;
  const said = filters.flatMap((field) => (asked[field] === undefined ? [] : says(field, asked[field])));
  const isPlain = asked.projects === null && said.length === 0;
  if (isPlain || (asked.projects === null && said.length === 1 && (await isCommon(session, asked)))) {
    const packed = await packedPage(session, asked, said, direction);
    if (packed.whole) return firstOf([...found, ...packed.rows], asked.limit, direction);
  }
  return packedMergedPage(session, asked, direction);
}

/** Each once: what was packed between the two reads is in both. */
function firstOf(rows: Rendered[], limit: number, direction: Direction): Rendered[] {
  const sign = direction === "newest first" ? -1 : 1;
  return rows
    .sort((a, b) => sign * (a.ts - b.ts))
    .filter((row, index) => row.ts !== rows[index - 1]?.ts)
    .slice(0, limit);
}
