/** Where a target lies on its picture, in 1/10000 of the picture's width and height. */
import { type Target, unit } from "../../files/probe/marks/schema.ts";
import type { Box } from "../../library/annotations/text.ts";

/** Where the pin stands: on a point, at the upper left corner of a rectangle, at the start of a path. */
export function pinOf(target: Target | null): { x: number; y: number } | null {
  const [start] = target?.points ?? [];
  if (start) return { x: start[0] as number, y: start[1] as number };
  return target?.x === undefined || target.y === undefined ? null : { x: target.x, y: target.y };
}

/** A crop shows at least this share of each side, so that the surroundings are recognized. */
const cropMin = 2_400;
const margin = 0.3;

/** Crops are at most this much wider than high, or higher than wide. */
const ratioMax = 1.6;

/**
 * The part of the picture to show for a box: the box, what is around it, and nothing beyond the edges.
 * @param ratio width of the picture by its height
 */
export function cropAround({ x, y, w, h }: Box, ratio: number): Box {
  const side = (size: number, least: number) =>
    Math.round(Math.min(unit, Math.max(cropMin, size * (1 + 2 * margin), least)));
  const width = side(w, 0);
  const height = side(h, (width * ratio) / ratioMax);
  const shown = { w: side(w, height / ratio / ratioMax), h: height };
  const start = (at: number, size: number, part: number) =>
    Math.min(unit - part, Math.max(0, Math.round(at + size / 2 - part / 2)));
  return { x: start(x, w, shown.w), y: start(y, h, shown.h), ...shown };
}

/** `18.5%` of 1850. */
export const percent = (value: number): string => `${value / 100}%`;
