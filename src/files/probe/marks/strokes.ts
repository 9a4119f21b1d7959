/** Lines and shapes on a raster, smoothed at their edges. */
import type { Raster } from "../images/raster.ts";
import type { Box } from "./box.ts";

export type Color = readonly [red: number, green: number, blue: number];
export type Position = readonly [x: number, y: number];

/** Blends a color over a pixel. @param pixel its place in the rows @param share from 0 to 1 */
function blend({ pixels }: Raster, pixel: number, color: Color, share: number): void {
  const at = pixel * 4;
  const behind = ((pixels[at + 3] as number) / 255) * (1 - share);
  const alpha = share + behind;
  for (let channel = 0; channel < 3; channel++)
    pixels[at + channel] = Math.round(
      ((color[channel] as number) * share + (pixels[at + channel] as number) * behind) / alpha,
    );
  pixels[at + 3] = Math.round(alpha * 255);
}

/** The rows of a raster from `top` to `bottom`. */
const rowsOf = ({ height }: Raster, top: number, bottom: number) => ({
  first: Math.max(0, Math.floor(top)),
  last: Math.min(height - 1, Math.ceil(bottom)),
});

/** How much of each pixel of a raster a shape covers, from 0 to 255. */
type Coverage = Uint8Array;

/** A line through the points, with round ends; one point is a disc. */
export function drawLine(raster: Raster, points: readonly Position[], width: number, color: Color): void {
  // All at once: a scribble crosses itself, and its segments overlap where they meet.
  const coverage = new Uint8Array(raster.width * raster.height);
  const [only] = points;
  if (only && points.length === 1) coverSegment(raster, coverage, [only, only], width / 2);
  for (let index = 1; index < points.length; index++)
    coverSegment(raster, coverage, [points[index - 1] as Position, points[index] as Position], width / 2);
  for (let at = 0; at < coverage.length; at++)
    if (coverage[at]) blend(raster, at, color, (coverage[at] as number) / 255);
}

/** In each row only near the segment: the box around a long one has many more pixels than the segment. */
function coverSegment(
  raster: Raster,
  coverage: Coverage,
  [[ax, ay], [bx, by]]: readonly [Position, Position],
  radius: number,
): void {
  const [dx, dy] = [bx - ax, by - ay];
  const squared = dx * dx + dy * dy;
  const reach = radius + 1;
  const [left, right] = [Math.min(ax, bx) - reach, Math.max(ax, bx) + reach];
  /** Half the width, in a row, of the band around the line that the segment is a part of. */
  const half = (reach * Math.sqrt(squared)) / Math.abs(dy);
  const { first, last } = rowsOf(raster, Math.min(ay, by) - reach, Math.max(ay, by) + reach);
  for (let row = first; row <= last; row++) {
    const y = row + 0.5;
    const middle = ax + (dx * (y - ay)) / dy;
    const from = Math.max(0, Math.floor(dy === 0 ? left : Math.max(left, middle - half)));
    const to = Math.min(raster.width - 1, Math.ceil(dy === 0 ? right : Math.min(right, middle + half)));
    for (let column = from; column <= to; column++) {
      const at = row * raster.width + column;
      if (coverage[at] === 255) continue;
      const x = column + 0.5;
      const along = squared === 0 ? 0 : ((x - ax) * dx + (y - ay) * dy) / squared;
      const share = Math.max(0, Math.min(1, along));
      const [offX, offY] = [x - ax - share * dx, y - ay - share * dy];
      const inside = radius + 0.5 - Math.sqrt(offX * offX + offY * offY);
      coverage[at] = Math.max(coverage[at] as number, Math.min(1, inside) * 255);
    }
  }
}

/** A filled box. */
export function fillArea(raster: Raster, { x, y, w, h }: Box, color: Color): void {
  /** Of a pixel, along one axis. */
  const insideOf = (pixel: number, from: number, length: number) =>
    0.5 + Math.min(pixel + 0.5 - from, from + length - pixel - 0.5);
  const { first, last } = rowsOf(raster, y - 1, y + h + 1);
  for (let row = first; row <= last; row++)
    for (let column = Math.max(0, Math.floor(x - 1)); column < Math.min(raster.width, x + w + 1); column++) {
      const share = Math.min(1, insideOf(row, y, h), insideOf(column, x, w));
      if (share > 0) blend(raster, row * raster.width + column, color, share);
    }
}
