/** Lines and shapes on a raster, smoothed at their edges. */
import type { Raster } from "../images/raster.ts";

export type Color = readonly [red: number, green: number, blue: number];
export type Position = readonly [x: number, y: number];

/** Blends a color over a pixel. @param share from 0 to 1 */
function blend({ width, pixels }: Raster, x: number, y: number, color: Color, share: number): void {
  const at = (y * width + x) * 4;
  const behind = ((pixels[at + 3] as number) / 255) * (1 - share);
  const alpha = share + behind;
  for (let channel = 0; channel < 3; channel++)
    pixels[at + channel] = Math.round(
      ((color[channel] as number) * share + (pixels[at + channel] as number) * behind) / alpha,
    );
  pixels[at + 3] = Math.round(alpha * 255);
}

/** Paints a part of a row, where `distance`, in pixels and negative inside, says that a shape is. */
function paintRow(
  raster: Raster,
  y: number,
  [left, right]: readonly [number, number],
  color: Color,
  distance: (x: number, y: number) => number,
): void {
  const last = Math.min(raster.width - 1, Math.ceil(right));
  for (let x = Math.max(0, Math.floor(left)); x <= last; x++) {
    const share = 0.5 - distance(x + 0.5, y + 0.5);
    if (share > 0) blend(raster, x, y, color, Math.min(1, share));
  }
}

/** The rows of a raster from `top` to `bottom`. */
const rowsOf = ({ height }: Raster, top: number, bottom: number) => ({
  first: Math.max(0, Math.floor(top)),
  last: Math.min(height - 1, Math.ceil(bottom)),
});

/** A line through the points, with round ends; one point is a disc. */
export function drawLine(raster: Raster, points: readonly Position[], width: number, color: Color): void {
  const [only] = points;
  if (only && points.length === 1) drawSegment(raster, [only, only], width / 2, color);
  for (let index = 1; index < points.length; index++)
    drawSegment(raster, [points[index - 1] as Position, points[index] as Position], width / 2, color);
}

/** In each row only near the segment: the box around a long one has many more pixels than the segment. */
function drawSegment(
  raster: Raster,
  [[ax, ay], [bx, by]]: readonly [Position, Position],
  radius: number,
  color: Color,
): void {
  const [dx, dy] = [bx - ax, by - ay];
  const squared = dx * dx + dy * dy;
  const distance = (x: number, y: number) => {
    const along = squared === 0 ? 0 : ((x - ax) * dx + (y - ay) * dy) / squared;
    const share = Math.max(0, Math.min(1, along));
    const [offX, offY] = [x - ax - share * dx, y - ay - share * dy];
    return Math.sqrt(offX * offX + offY * offY) - radius;
  };
  const reach = radius + 1;
  /** Where the segment is at this height, or its end that is closest to it. */
  const xAt = (y: number, flat: number) => ax + dx * (dy === 0 ? flat : clamp((y - ay) / dy));
  const { first, last } = rowsOf(raster, Math.min(ay, by) - reach, Math.max(ay, by) + reach);
  for (let y = first; y <= last; y++) {
    const [one, other] = [xAt(y - reach, 0), xAt(y + 1 + reach, 1)];
    paintRow(raster, y, [Math.min(one, other) - reach, Math.max(one, other) + reach], color, distance);
  }
}

const clamp = (share: number): number => Math.min(1, Math.max(0, share));

export interface Area {
  x: number;
  y: number;
  w: number;
  h: number;
}

/** A filled box. */
export function fillArea(raster: Raster, { x, y, w, h }: Area, color: Color): void {
  const distance = (px: number, py: number) => Math.max(x - px, px - x - w, y - py, py - y - h);
  const { first, last } = rowsOf(raster, y - 1, y + h + 1);
  for (let row = first; row <= last; row++) paintRow(raster, row, [x - 1, x + w + 1], color, distance);
}
