/**
 * Where two images of one size differ, measured in windows. An encoder and a resampler miss single pixels by
 * much and the mean of a window by little, and everywhere alike; a correction moves the mean of few windows
 * by more than the others.
 */
import type { Size } from "../geometry.ts";
import type { Planes } from "./planes.ts";

/** What a mean may differ by, in levels: by the side of its window, in pixels. */
interface Bounds {
  side: number;
  /** Less is rounding, whatever the rest of the image does. */
  floor: number;
  /** More is a change, however noisy the rest is. */
  certain: number;
}

/**
 * Between them, a change is what stands out. The floors are what JPEG at a quality of 40 leaves; the larger a
 * window is, the less is left (measured on the set of test/support/likeness).
 */
const lumaBounds: readonly Bounds[] = [
  { side: 4, floor: 18, certain: 40 },
  { side: 8, floor: 12, certain: 24 },
  { side: 16, floor: 6.5, certain: 11 },
  { side: 32, floor: 3.6, certain: 6 },
  { side: 64, floor: 2.2, certain: 3.6 },
];
/** Most encoders store colors at half the width and height. */
const colorBounds: readonly Bounds[] = [
  { side: 16, floor: 20, certain: 40 },
  { side: 32, floor: 14, certain: 24 },
  { side: 64, floor: 7, certain: 14 },
];
/** Where one of the images has one color only, such as gray text, an encoder adds little of another. */
const plainBounds: readonly Bounds[] = [
  { side: 16, floor: 10, certain: 14 },
  { side: 32, floor: 6, certain: 9 },
  { side: 64, floor: 4, certain: 6 },
];
/** The mean difference of neighbors in a window with several colors, in levels. */
const colorfulMin = 1.5;
/** The noise of an image is what so many of its windows with edges stay within, and changes stand out by so much. */
const [noiseShare, standOut] = [0.75, 9] as const;
/** Flatter windows say nothing of the noise: the mean difference of neighbors, in levels. */
const edgeMin = 4;
/** Fewer windows with edges are no measure. */
const edgyMin = 100;
/** Side of a cell of the result, in pixels. */
export const cellSide = 8;

/** Of the pyramid: its sums cover as many pixels as a cell. */
const edgeLevel = 2;

/** Cells of an image that changed. */
export interface ChangedCells extends Size {
  /** By rows: 1 where it changed. */
  cells: Uint8Array;
  count: number;
  /** How many windows of a cell's size have edges. */
  edgy: number;
}

/** Over cells of 2 × 2 pixels, 4 × 4, and so on. */
interface Sums extends Size {
  sums: Int32Array;
}

const sumsOf = (levels: readonly Sums[], level: number): Int32Array => (levels[level] as Sums).sums;

/** @param strictness of a difference that is no noise: how far above the bounds it has to be */
export function changedCells(before: Planes, after: Planes, strictness = 1): ChangedCells {
  const size = { width: Math.ceil(before.width / cellSide), height: Math.ceil(before.height / cellSide) };
  const found = { ...size, cells: new Uint8Array(size.width * size.height), count: 0, edgy: 0 };
  const half = { width: before.width >> 1, height: before.height >> 1 };
  const edges = pyramidOf({ ...half, sums: edgeSums(before, after) });
  const colors = pyramidOf({ ...half, sums: colorEdges(before, after) });
  for (const [differences, bounds, plain] of [
    [lumaDifferences(before, after), lumaBounds, lumaBounds],
    [colorDifferences(before.blue, after.blue), colorBounds, plainBounds],
    [colorDifferences(before.red, after.red), colorBounds, plainBounds],
  ] as const)
    for (const [level, sums] of pyramidOf({ ...half, sums: differences }).entries()) {
      const isLevel = ({ side }: Bounds) => side === 4 << level;
      const [bound, least] = [bounds.find(isLevel), plain.find(isLevel)];
      if (bound && least)
        flag(
          sums,
          { edges: sumsOf(edges, level), colors: sumsOf(colors, level) },
          [bound, least],
          strictness,
          found,
        );
    }
  for (const cell of found.cells) found.count += cell;
  for (const sum of edges[edgeLevel]?.sums ?? []) if (sum >= edgeMin * cellSide ** 2) found.edgy++;
  return found;
}

/** How much four pixels differ, in the image where they differ more. */
function edgeSums({ width, height, luma: one }: Planes, { luma: other }: Planes): Int32Array {
  const [columns, rows] = [width >> 1, height >> 1];
  const found = new Int32Array(columns * rows);
  for (let y = 0, to = 0; y < rows; y++)
    for (let x = 0, at = y * 2 * width; x < columns; x++, to++, at += 2) {
      found[to] = Math.max(edgeOf(one, at, width), edgeOf(other, at, width));
    }
  return found;
}

/** How much colors differ from those of their neighbors, in the image where they differ less; four times, in levels. */
function colorEdges({ width, height, ...one }: Planes, other: Planes): Int32Array {
  const [columns, rows] = [width >> 1, height >> 1];
  const found = new Int32Array(columns * rows);
  for (let y = 0; y < rows - 1; y++)
    for (let x = 0, at = y * columns; x < columns - 1; x++, at++) {
      const ofOne = stepOf(one.blue, at, columns) + stepOf(one.red, at, columns);
      if (ofOne > 0)
        found[at] = Math.min(ofOne, stepOf(other.blue, at, columns) + stepOf(other.red, at, columns));
    }
  return found;
}

const stepOf = (plane: Int16Array, at: number, width: number): number =>
  Math.abs((plane[at] as number) - (plane[at + 1] as number)) +
  Math.abs((plane[at] as number) - (plane[at + width] as number));

function edgeOf(luma: Int16Array, at: number, width: number): number {
  const a = luma[at] as number;
  const b = luma[at + 1] as number;
  const c = luma[at + width] as number;
  const d = luma[at + width + 1] as number;
  return Math.abs(a - b) + Math.abs(c - d) + Math.abs(a - c) + Math.abs(b - d);
}

function lumaDifferences({ width, height, luma: one }: Planes, { luma: other }: Planes): Int32Array {
  const [columns, rows] = [width >> 1, height >> 1];
  const differences = new Int32Array(columns * rows);
  for (let y = 0, to = 0; y < rows; y++)
    for (let x = 0, at = y * 2 * width; x < columns; x++, to++, at += 2)
      differences[to] = fourOf(other, at, width) - fourOf(one, at, width);
  return differences;
}

function colorDifferences(one: Int16Array, other: Int16Array): Int32Array {
  const differences = new Int32Array(one.length);
  for (let at = 0; at < one.length; at++) differences[at] = (other[at] as number) - (one[at] as number);
  return differences;
}

const fourOf = (cells: Int16Array | Int32Array, at: number, width: number): number =>
  (cells[at] as number) +
  (cells[at + 1] as number) +
  (cells[at + width] as number) +
  (cells[at + width + 1] as number);

/** Of the windows that are compared; each level covers four cells of the one before. */
function pyramidOf(base: Sums): Sums[] {
  const levels = [base];
  for (let { width, height, sums } = base; levels.length < lumaBounds.length && width > 3 && height > 3; ) {
    const [columns, rows] = [width >> 1, height >> 1];
    const larger = new Int32Array(columns * rows);
    for (let y = 0, to = 0; y < rows; y++)
      for (let x = 0, at = y * 2 * width; x < columns; x++, to++, at += 2)
        larger[to] = fourOf(sums, at, width);
    [width, height, sums] = [columns, rows, larger];
    levels.push({ width, height, sums });
  }
  return levels;
}

/** Flags what changed in windows of 2 × 2 sums, of which each covers half of the next. */
function flag(
  { width, height, sums: differences }: Sums,
  { edges, colors }: { edges: Int32Array; colors: Int32Array },
  [{ side, floor, certain }, plain]: readonly [Bounds, Bounds],
  strictness: number,
  found: ChangedCells,
): void {
  const area = side * side;
  const histogram = new Uint32Array(256);
  let edgy = 0;
  const means = new Float32Array((width - 1) * (height - 1));
  for (let y = 0, to = 0; y < height - 1; y++)
    for (let x = 0, at = y * width; x < width - 1; x++, to++, at++) {
      const mean = Math.abs(fourOf(differences, at, width)) / area;
      means[to] = mean;
      if (fourOf(edges, at, width) < edgeMin * area) continue;
      (histogram[Math.min(255, Math.floor(mean * 4))] as number) += 1;
      edgy++;
    }
  const noise = edgy < edgyMin ? 0 : quantile(histogram, edgy) / 4;
  const boundOf = (one: Bounds) => Math.min(one.certain, Math.max(one.floor, noise * standOut)) * strictness;
  const [bound, least] = [boundOf({ side, floor, certain }), boundOf(plain)];
  for (let y = 0, to = 0; y < height - 1; y++)
    for (let x = 0, at = y * width; x < width - 1; x++, to++, at++) {
      const mean = means[to] as number;
      const isPlain = mean > least && fourOf(colors, at, width) < colorfulMin * area;
      if (mean > bound || isPlain) mark(found, (x * side) / 2, (y * side) / 2, side);
    }
}

function quantile(histogram: Uint32Array, count: number): number {
  let left = count * (1 - noiseShare);
  for (let bin = histogram.length - 1; bin > 0; bin--) {
    left -= histogram[bin] as number;
    if (left < 0) return bin;
  }
  return 0;
}

/** A small window marks the cell of its center. A larger one all of its cells, unless some of them are marked. */
function mark({ width, height, cells }: ChangedCells, left: number, top: number, side: number): void {
  if (side <= cellSide) {
    const [column, row] = [(left + side / 2) / cellSide, (top + side / 2) / cellSide].map(Math.floor);
    cells[Math.min(height - 1, row as number) * width + Math.min(width - 1, column as number)] = 1;
    return;
  }
  const columns = { from: Math.floor(left / cellSide), to: Math.min(width, (left + side) / cellSide) };
  const rows = { from: Math.floor(top / cellSide), to: Math.min(height, (top + side) / cellSide) };
  for (let y = rows.from; y < rows.to; y++)
    for (let x = columns.from; x < columns.to; x++) if (cells[y * width + x] === 1) return;
  for (let y = rows.from; y < rows.to; y++) cells.fill(1, y * width + columns.from, y * width + columns.to);
}
