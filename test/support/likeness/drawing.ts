/** Draws images of colored boxes, as small parts of interfaces that a reviewer may want changed. */
import { encodePng } from "../../../src/files/probe/images/raster.ts";

export type Color = readonly [red: number, green: number, blue: number];
export type Box = readonly [x: number, y: number, width: number, height: number, color: Color];

/** On white; a later box covers an earlier one. */
export function drawBoxes(width: number, height: number, boxes: readonly Box[]): Uint8Array<ArrayBuffer> {
  const pixels = new Uint8Array(width * height * 4).fill(255);
  for (const [left, top, w, h, color] of boxes)
    for (let y = Math.max(0, top); y < Math.min(height, top + h); y++)
      for (let x = Math.max(0, left); x < Math.min(width, left + w); x++)
        pixels.set(color, (y * width + x) * 4);
  return new Uint8Array(encodePng({ width, height, pixels }));
}
