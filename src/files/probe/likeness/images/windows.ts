/**
 * Where two images of one size differ, measured in windows. An encoder and a resampler miss single pixels by
 * much and the mean of a window by little, and everywhere alike; a correction moves the mean of few windows
 * by more than the others.
 */
import type { Size } from "../../geometry.ts";
import type { Planes } from "./planes.ts";
import { colorEdges, differencesOf, largest, pyramidOf, type Sums, windowOf } from "./window-sums.ts";

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
/**
 * Most encoders store colors at half the width and height: thin blue text on white, as of links, loses up to
 * 14.5 levels of 32 pixels and 7.2 of 64 in JPEG.
 */
const colorBounds: readonly Bounds[] = [
  { side: 16, floor: 20, certain: 40 },
  { side: 32, floor: 16, certain: 24 },
  { side: 64, floor: 8, certain: 14 },
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

/** Cells of an image that changed. */
export interface ChangedCells extends Size {
  /** By rows: 1 where it changed. */
  cells: Uint8Array;
  count: number;
  /** How many windows of a cell's size have edges. */
  edgy: number;
}

/** @param strictness of a difference that is no noise: how far above the bounds it has to be */
export function changedCells(before: Planes, after: Planes, strictness = 1): ChangedCells {
  const size = { width: Math.ceil(before.width / cellSide), height: Math.ceil(before.height / cellSide) };
  const found = { ...size, cells: new Uint8Array(size.width * size.height), count: 0, edgy: 0 };
  const half = { width: before.width >> 1, height: before.height >> 1 };
  const edges = pyramidOf(largest(before.edges, after.edges), half);
  let colors: Sums[] | undefined;
  for (const [differences, bounds, plain] of [
    [differencesOf(before.sums, after.sums), lumaBounds, lumaBounds],
    [differencesOf(before.blue, after.blue), colorBounds, plainBounds],
    [differencesOf(before.red, after.red), colorBounds, plainBounds],
  ] as const)
    for (const [level, sums] of pyramidOf(differences, half).entries()) {
      const isLevel = ({ side }: Bounds) => side === 4 << level;
      const [bound, least] = [bounds.find(isLevel), plain.find(isLevel)];
      if (!bound || !least) continue;
      const windows = windowsOf(sums, edges[level] as Sums, bound.side);
      const limit = limitOf(bound, windows.noise, strictness);
      const plainLimit = limitOf(least, windows.noise, strictness);
      if (windows.largest <= Math.min(limit, plainLimit)) continue;
      if (plainLimit < limit) colors ??= pyramidOf(colorEdges(before, after), half);
      flag(windows, { limit, plainLimit, colors: colors?.[level] ?? null }, bound.side, found);
    }
  found.count = countFrom(1, found.cells);
  found.edgy = countFrom(edgeMin * cellSide ** 2, edges[edgeLevel]?.sums ?? []);
  return found;
}

/** Of the pyramid: its sums cover as many pixels as a cell. */
const edgeLevel = 2;

function countFrom(least: number, values: ArrayLike<number>): number {
  let count = 0;
  for (let at = 0; at < values.length; at++) if ((values[at] as number) >= least) count++;
  return count;
}

/** What the sum of a window may be. */
const limitOf = ({ side, floor, certain }: Bounds, noise: number, strictness: number): number =>
  Math.min(certain, Math.max(floor, noise * standOut)) * strictness * side * side;

/** Windows of 2 × 2 sums, of which each covers half of the next. */
interface Windows extends Size {
  /** Without their signs. */
  totals: Int32Array;
  largest: number;
  noise: number;
}

function windowsOf({ width, height, sums }: Sums, { sums: edges }: Sums, side: number): Windows {
  const histogram = new Uint32Array(256);
  const edgesMin = edgeMin * side * side;
  /** A bin of the histogram is a quarter of a level. */
  const binBits = 2 * Math.log2(side) - 2;
  const totals = new Int32Array((width - 1) * (height - 1));
  let [edgy, largest] = [0, 0];
  for (let y = 0, to = 0; y < height - 1; y++) {
    let at = y * width;
    let left = (sums[at] as number) + (sums[at + width] as number);
    let leftEdges = (edges[at] as number) + (edges[at + width] as number);
    for (const end = at + width - 1; at < end; to++) {
      at++;
      const right = (sums[at] as number) + (sums[at + width] as number);
      const rightEdges = (edges[at] as number) + (edges[at + width] as number);
      const total = Math.abs(left + right);
      totals[to] = total;
      if (total > largest) largest = total;
      if (leftEdges + rightEdges >= edgesMin) {
        (histogram[Math.min(255, total >> binBits)] as number) += 1;
        edgy++;
      }
      left = right;
      leftEdges = rightEdges;
    }
  }
  const noise = edgy < edgyMin ? 0 : quantile(histogram, edgy) / 4;
  return { width: width - 1, height: height - 1, totals, largest, noise };
}

function quantile(histogram: Uint32Array, count: number): number {
  let left = count * (1 - noiseShare);
  for (let bin = histogram.length - 1; bin > 0; bin--) {
    left -= histogram[bin] as number;
    if (left < 0) return bin;
  }
  return 0;
}

interface Limits {
  limit: number;
  /** Where one of the images has one color only. */
  plainLimit: number;
  colors: Sums | null;
}

function flag({ width, height, totals }: Windows, limits: Limits, side: number, found: ChangedCells): void {
  const { limit, plainLimit, colors } = limits;
  const isPlain = (x: number, y: number) =>
    colors !== null && windowOf(colors, x, y) < colorfulMin * side * side;
  for (let y = 0, at = 0; y < height; y++)
    for (let x = 0; x < width; x++, at++) {
      const total = totals[at] as number;
      if (total > limit || (total > plainLimit && isPlain(x, y)))
        mark(found, (x * side) / 2, (y * side) / 2, side);
    }
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
