/** The box around a mark. */
import type { Target } from "./schema.ts";

/** In the unit of targets, or in pixels. */
export interface Box {
  x: number;
  y: number;
  w: number;
  h: number;
}

/** The box around the shape of a target; a point's has no size. Null without a shape. */
export function boxOf({ shape, x = 0, y = 0, w = 0, h = 0, points = [] }: Target): Box | null {
  if (shape === undefined) return null;
  if (shape !== "path") return { x, y, w, h };
  const [xs, ys] = [points.map(([left = 0]) => left), points.map(([, top = 0]) => top)];
  const [left, top] = [Math.min(...xs), Math.min(...ys)];
  return { x: left, y: top, w: Math.max(...xs) - left, h: Math.max(...ys) - top };
}
