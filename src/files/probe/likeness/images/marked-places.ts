/** In the child: whether the places that a reviewer marked in an older image are as they were. */
import { boxOf } from "../../marks/box.ts";
import { type Target, unit } from "../../marks/schema.ts";
import type { PlaceState } from "../schema.ts";
import type { PictureMatch } from "./same-picture.ts";
import { cellSide } from "./windows.ts";

/** What a point means: so much to each side of it, in shares of the image, and at least so many pixels. */
const [around, aroundMin] = [0.025, 20] as const;
/** Of a place that is cut off by more, nothing is known. */
const visibleMin = 0.5;

/** In an image that differs nowhere, all places are as they were: those without a shape, too. */
export function placeInPicture({ isSame, changed, shown }: PictureMatch, target: Target | null): PlaceState {
  if (isSame) return "unchanged";
  const box = target && boxOf(target);
  if (!box) return "unknown";
  const size = { width: changed.width * cellSide, height: changed.height * cellSide };
  const reach = (side: number, length: number) =>
    side === 0 ? Math.max(around * length, aroundMin) : cellSide / 4;
  const columns = span(
    (box.x / unit - shown.left) / shown.width,
    box.w / unit / shown.width,
    size.width,
    reach,
  );
  const rows = span(
    (box.y / unit - shown.top) / shown.height,
    box.h / unit / shown.height,
    size.height,
    reach,
  );
  if (!columns || !rows) return "unknown";
  for (let y = rows.from; y < rows.to; y++)
    for (let x = columns.from; x < columns.to; x++)
      if (changed.cells[y * changed.width + x] === 1) return "changed";
  return "unchanged";
}

/** The cells of a side that a place covers; null if less than half of it is there. */
function span(
  start: number,
  share: number,
  length: number,
  reach: (side: number, length: number) => number,
): { from: number; to: number } | null {
  const more = reach(share, length);
  const [from, to] = [start * length - more, (start + share) * length + more];
  const visible = Math.min(length, to) - Math.max(0, from);
  if (visible < (to - from) * visibleMin) return null;
  const first = Math.floor(Math.max(0, from) / cellSide);
  return { from: first, to: Math.max(first + 1, Math.min(length / cellSide, Math.ceil(to / cellSide))) };
}
