/** Sums over cells of an image: 2 × 2 pixels, 4 × 4, and so on. */
import type { Size } from "../../geometry.ts";
import type { Planes } from "./planes.ts";

export interface Sums extends Size {
  sums: Int16Array | Int32Array;
}

/** Of cells of 64 × 64 pixels, windows are the largest that are compared. */
const levelsMax = 5;

/** Each level covers four cells of the one before. */
export function pyramidOf(base: Int16Array, { width, height }: Size): Sums[] {
  const levels: Sums[] = [{ width, height, sums: base }];
  for (let last = levels[0] as Sums; levels.length < levelsMax && last.width > 3 && last.height > 3; ) {
    last = quartered(last);
    levels.push(last);
  }
  return levels;
}

function quartered({ width, height, sums }: Sums): Sums {
  const [columns, rows] = [width >> 1, height >> 1];
  const larger = new Int32Array(columns * rows);
  for (let y = 0, to = 0; y < rows; y++)
    for (let x = 0, at = y * 2 * width; x < columns; x++, to++, at += 2)
      larger[to] =
        (sums[at] as number) +
        (sums[at + 1] as number) +
        (sums[at + width] as number) +
        (sums[at + width + 1] as number);
  return { width: columns, height: rows, sums: larger };
}

/** The window of 2 × 2 cells from this one on. */
export function windowOf({ width, sums }: Sums, x: number, y: number): number {
  const at = y * width + x;
  return (
    (sums[at] as number) +
    (sums[at + 1] as number) +
    (sums[at + width] as number) +
    (sums[at + width + 1] as number)
  );
}

export function differencesOf(one: Int16Array, other: Int16Array): Int16Array {
  const found = new Int16Array(one.length);
  for (let at = 0; at < found.length; at++) found[at] = (other[at] as number) - (one[at] as number);
  return found;
}

export function largest(one: Int16Array, other: Int16Array): Int16Array {
  const found = new Int16Array(one.length);
  for (let at = 0; at < found.length; at++) found[at] = Math.max(one[at] as number, other[at] as number);
  return found;
}

/** How much colors differ from their neighbors, in the image where they differ less; four times, in levels. */
export function colorEdges({ width, height, blue, red }: Planes, other: Planes): Int16Array {
  const columns = width >> 1;
  const found = new Int16Array(blue.length);
  const { blue: otherBlue, red: otherRed } = other;
  for (let y = 0; y < (height >> 1) - 1; y++)
    for (let x = 0, at = y * columns; x < columns - 1; x++, at++) {
      const one = stepOf(blue, at, columns) + stepOf(red, at, columns);
      if (one > 0) found[at] = Math.min(one, stepOf(otherBlue, at, columns) + stepOf(otherRed, at, columns));
    }
  return found;
}

function stepOf(plane: Int16Array, at: number, width: number): number {
  const level = plane[at] as number;
  return Math.abs(level - (plane[at + 1] as number)) + Math.abs(level - (plane[at + width] as number));
}
