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
  { side: 16, floor: 6.5, certain: 14 },
  { side: 32, floor: 4.5, certain: 8 },
  { side: 64, floor: 3, certain: 5 },
];
/** Most encoders store colors at half the width and height. */
const colorBounds: readonly Bounds[] = [
  { side: 16, floor: 20, certain: 40 },
  { side: 32, floor: 14, certain: 24 },
  { side: 64, floor: 7, certain: 14 },
];
/** The noise of an image is what so many of its windows with edges stay within, and changes stand out by so much. */
const [noiseShare, standOut] = [0.9, 5.5] as const;
/** Flatter windows say nothing of the noise: the mean difference of neighbors, in levels. */
const edgeMin = 4;
/** Fewer windows with edges are no measure. */
const edgyMin = 100;
/** Side of a cell of the result, in pixels. */
export const cellSide = 8;

/** Cells of an image that changed. */
export interface ChangedCells extends Size {
  /** By rows: 1 where it changed. */
  cells: Uint8Array;
  count: number;
}

/** Sums over cells of 2 × 2 pixels, 4 × 4, and so on. */
interface Sums extends Size {
  differences: Int32Array;
  edges: Int32Array;
}

export function changedCells(before: Planes, after: Planes): ChangedCells {
  const size = { width: Math.ceil(before.width / cellSide), height: Math.ceil(before.height / cellSide) };
  const found = { ...size, cells: new Uint8Array(size.width * size.height), count: 0 };
  const edges = edgeSums(before, after);
  for (const [plane, bounds] of [
    ["luma", lumaBounds],
    ["blue", colorBounds],
    ["red", colorBounds],
  ] as const) {
    let sums = cellSums(before[plane], after[plane], before, edges);
    for (let side = 4; sums.width >= 2 && sums.height >= 2 && side <= 64; side *= 2, sums = halved(sums)) {
      const bound = bounds.find((one) => one.side === side);
      if (bound) flag(sums, bound, found);
    }
  }
  for (const cell of found.cells) found.count += cell;
  return found;
}

function edgeSums({ width, height, luma: one }: Planes, { luma: other }: Planes): Int32Array {
  const [columns, rows] = [width >> 1, height >> 1];
  const found = new Int32Array(columns * rows);
  for (let y = 0, to = 0; y < rows; y++)
    for (let x = 0, at = y * 2 * width; x < columns; x++, to++, at += 2) {
      const ofOne = edgeOf(one, at, width);
      const ofOther = edgeOf(other, at, width);
      found[to] = Math.max(ofOne, ofOther);
    }
  return found;
}

/** How much four pixels differ. */
function edgeOf(luma: Int16Array, at: number, width: number): number {
  const a = luma[at] as number;
  const b = luma[at + 1] as number;
  const c = luma[at + width] as number;
  const d = luma[at + width + 1] as number;
  return Math.abs(a - b) + Math.abs(c - d) + Math.abs(a - c) + Math.abs(b - d);
}

function cellSums(one: Int16Array, other: Int16Array, { width, height }: Size, edges: Int32Array): Sums {
  const [columns, rows] = [width >> 1, height >> 1];
  const differences = new Int32Array(columns * rows);
  for (let y = 0, to = 0; y < rows; y++)
    for (let x = 0, at = y * 2 * width; x < columns; x++, to++, at += 2)
      differences[to] = fourOf(other, at, width) - fourOf(one, at, width);
  return { width: columns, height: rows, differences, edges };
}

const fourOf = (cells: Int16Array | Int32Array, at: number, width: number): number =>
  (cells[at] as number) +
  (cells[at + 1] as number) +
  (cells[at + width] as number) +
  (cells[at + width + 1] as number);

function halved({ width, height, differences, edges }: Sums): Sums {
  const [columns, rows] = [width >> 1, height >> 1];
  const sums = {
    width: columns,
    height: rows,
    differences: new Int32Array(columns * rows),
    edges: new Int32Array(columns * rows),
  };
  for (let y = 0, to = 0; y < rows; y++)
    for (let x = 0, at = y * 2 * width; x < columns; x++, to++, at += 2) {
      sums.differences[to] = fourOf(differences, at, width);
      sums.edges[to] = fourOf(edges, at, width);
    }
  return sums;
}

/** Flags what changed in windows of 2 × 2 sums, of which each covers half of the next. */
function flag(
  { width, height, differences, edges }: Sums,
  { side, floor, certain }: Bounds,
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
  const bound = Math.min(certain, Math.max(floor, noise * standOut));
  for (let y = 0, at = 0; y < height - 1; y++)
    for (let x = 0; x < width - 1; x++, at++)
      if ((means[at] as number) > bound) mark(found, (x * side) / 2, (y * side) / 2, side);
}

/** A small window marks the cell of its center. A larger one all of its cells, unless some of them are marked. */

function quantile(histogram: Uint32Array, count: number): number {
  let left = count * (1 - noiseShare);
  for (let bin = histogram.length - 1; bin > 0; bin--) {
    left -= histogram[bin] as number;
    if (left < 0) return bin;
  }
  return 0;
}

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
