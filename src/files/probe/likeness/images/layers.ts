/** Splits changed pixels into layers that changed alike, and finds the boxes around each. */
import { unit } from "../../marks/schema.ts";
import { boxesMax, type ChangeBox, type ChangeLayer, layersMax } from "../schema.ts";
import { type Differences, largestOf } from "./changed-pixels.ts";

interface Picture {
  differences: Differences;
  width: number;
  height: number;
}

/** Bins of a channel's difference, which is from -255 to 255. */
const binBits = 5;
const bins = 512 >> binBits;
/** Pixels at an edge moved by a part of what their neighbors moved: they lie near this line, in levels. */
const lineMax = 28;
/** A layer with fewer pixels, in shares of the image, is part of the rest. */
const layerMin = 0.000_02;

/** The layers, the largest first; the last one has what is left, in any color. */
export function layersOf(picture: Picture, changed: readonly number[]): ChangeLayer[] {
  const count = picture.width * picture.height;
  const layers: ChangeLayer[] = [];
  let left = changed;
  while (left.length > 0 && layers.length < layersMax - 1) {
    const color = commonColor(picture.differences, left);
    const [alike, rest] = partition(left, (pixel) => isOnLine(picture.differences, pixel, color));
    if (alike.length < count * layerMin) break;
    layers.push(layerOf(picture, alike, color.map(Math.round) as [number, number, number]));
    left = rest;
  }
  if (left.length > 0) layers.push(layerOf(picture, left, null));
  return layers.toSorted((a, b) => b.pixels - a.pixels);
}

function layerOf(picture: Picture, pixels: readonly number[], color: ChangeLayer["color"]): ChangeLayer {
  const share = Math.round((pixels.length / (picture.width * picture.height)) * 1e6);
  return { color, pixels: share, boxes: boxesOf(picture, pixels) };
}

type Color = [number, number, number];

/** The mean of the most frequent bin. */
function commonColor(differences: Differences, pixels: readonly number[]): Color {
  const counts = new Uint32Array(bins ** 3);
  const binOf = (pixel: number) => {
    const bin = (channel: number) => ((differences[pixel * 3 + channel] as number) + 256) >> binBits;
    return (bin(0) * bins + bin(1)) * bins + bin(2);
  };
  // Edges change a little everywhere: what changed much says more of the color.
  for (const pixel of pixels) (counts[binOf(pixel)] as number) += largestOf(differences, pixel);
  let common = 0;
  for (let bin = 1; bin < counts.length; bin++)
    if ((counts[bin] as number) > (counts[common] as number)) common = bin;
  const sum: Color = [0, 0, 0];
  let count = 0;
  for (const pixel of pixels) {
    if (binOf(pixel) !== common) continue;
    count++;
    for (let channel = 0; channel < 3; channel++)
      (sum[channel] as number) += differences[pixel * 3 + channel] as number;
  }
  return sum.map((total) => total / count) as Color;
}

/** Whether a pixel moved by the color or by a part of it. */
function isOnLine(differences: Differences, pixel: number, color: Color): boolean {
  const at = pixel * 3;
  const [r, g, b] = [differences[at], differences[at + 1], differences[at + 2]] as unknown as Color;
  const length = color[0] ** 2 + color[1] ** 2 + color[2] ** 2;
  const part = Math.min(1, Math.max(0, (r * color[0] + g * color[1] + b * color[2]) / length));
  const off = (r - part * color[0]) ** 2 + (g - part * color[1]) ** 2 + (b - part * color[2]) ** 2;
  return off <= lineMax ** 2;
}

function partition(pixels: readonly number[], isIn: (pixel: number) => boolean): [number[], number[]] {
  const [inside, outside]: [number[], number[]] = [[], []];
  for (const pixel of pixels) (isIn(pixel) ? inside : outside).push(pixel);
  return [inside, outside];
}

/** Left, top, right, and bottom, in pixels. */
type Corners = [number, number, number, number];
/** Cells of the longer side at first; fewer until there are not too many boxes. */
const cellsMax = 96;

function boxesOf({ width, height }: Picture, pixels: readonly number[]): ChangeBox[] {
  const longer = Math.max(width, height);
  for (let size = Math.max(4, Math.ceil(longer / cellsMax)); ; size *= 2) {
    const boxes = joinCells(cellsOf(width, pixels, size), Math.ceil(width / size));
    if (boxes.length > boxesMax) continue;
    return boxes
      .toSorted((a, b) => a[1] - b[1] || a[0] - b[0])
      .map(([left, top, right, bottom]) => {
        const [x, y] = [Math.floor((left / width) * unit), Math.floor((top / height) * unit)];
        return [x, y, Math.ceil((right / width) * unit) - x, Math.ceil((bottom / height) * unit) - y];
      });
  }
}

/** The cells of a grid with changed pixels, by number, with the box of these pixels. */
function cellsOf(width: number, pixels: readonly number[], size: number): Map<number, Corners> {
  const columns = Math.ceil(width / size);
  const cells = new Map<number, Corners>();
  for (const pixel of pixels) {
    const [x, y] = [pixel % width, Math.floor(pixel / width)];
    const cell = Math.floor(y / size) * columns + Math.floor(x / size);
    const box = cells.get(cell);
    cells.set(cell, box ? union(box, [x, y, x + 1, y + 1]) : [x, y, x + 1, y + 1]);
  }
  return cells;
}

const union = (one: Corners, other: Corners): Corners => [
  Math.min(one[0], other[0]),
  Math.min(one[1], other[1]),
  Math.max(one[2], other[2]),
  Math.max(one[3], other[3]),
];

/** Joins cells that touch or have one unchanged cell between them, so that a line of text is one box. */
function joinCells(cells: Map<number, Corners>, columns: number): Corners[] {
  const boxes: Corners[] = [];
  const left = new Set(cells.keys());
  for (const start of cells.keys()) {
    if (!left.delete(start)) continue;
    let box = cells.get(start) as Corners;
    const queue = [start];
    for (let cell = queue.pop(); cell !== undefined; cell = queue.pop()) {
      box = union(box, cells.get(cell) as Corners);
      for (let down = -2; down <= 2; down++)
        for (let by = -2; by <= 2; by++) {
          const column = (cell % columns) + by;
          const next = cell + down * columns + by;
          if (column >= 0 && column < columns && left.delete(next)) queue.push(next);
        }
    }
    boxes.push(box);
  }
  return boxes;
}
