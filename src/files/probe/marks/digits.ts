/** Digits of five by seven dots: a sandboxed child has no fonts, and a pin needs nothing else. */
import type { Raster } from "../images/raster.ts";
import { type Color, fillArea, type Position } from "./strokes.ts";

const [columns, rows] = [5, 7];

/** A byte for each row of a digit, whose lower five bits are its dots. */
const glyphs = [
  ...["0e11131519110e", "040c040404040e", "0e11010204081f", "1f02040201110e", "02060a121f0202"],
  ...["1f101e0101110e", "0608101e11110e", "1f010204080808", "0e11110e11110e", "0e11110f01020c"],
].map((hex) => Buffer.from(hex, "hex"));

/** Width and height of a number in dots, with a dot between its digits. */
export const sizeOfNumber = (n: number): { w: number; h: number } => ({
  w: String(n).length * (columns + 1) - 1,
  h: rows,
});

/** Draws a number from its upper left corner on. @param dot size of a dot in pixels */
export function drawNumber(raster: Raster, n: number, [x, y]: Position, dot: number, color: Color): void {
  for (const [index, digit] of [...String(n)].entries())
    for (const [row, dots] of (glyphs[Number(digit)] as Buffer).entries())
      for (let column = 0; column < columns; column++) {
        if ((dots & (1 << (columns - 1 - column))) === 0) continue;
        const left = x + (index * (columns + 1) + column) * dot;
        fillArea(raster, { x: left, y: y + row * dot, w: dot, h: dot }, color);
      }
}
