/** In the child: an image with annotations drawn on it, their shapes and their numbers on pins. */
import type { BlockReader } from "../bytes.ts";
import { encodeWithin, openImage, type RenderedFile } from "../images/image.ts";
import { encodePng, type Raster, rasterOf } from "../images/raster.ts";
import type { Mark } from "../port.ts";
import { annotatedFormat } from "../thumbnails/thumbnail-format.ts";
import type { Box } from "./box.ts";
import { unit, type Weight } from "./schema.ts";
import { type Color, drawLine, fillArea, type Position } from "./strokes.ts";

/** Of the longer side, in pixels: a smaller image is enlarged, so that its pins hide less of it. */
const sides = { min: 640, max: 1024 };

/** Returns a WebP; null if no quality makes it small enough. Throws if the image is damaged or too large. */
export async function annotatedImageOf(
  file: BlockReader,
  image: RenderedFile,
  marks: readonly Mark[],
): Promise<Uint8Array | null> {
  const raster = await rasterOf(await openImage(file, image).scaled(sides));
  drawMarks(raster, marks);
  const png = encodePng(raster);
  return encodeWithin(annotatedFormat, () => new Bun.Image(png));
}

const white: Color = [255, 255, 255];
/** As on the website in its light theme: white digits are readable on each. */
const colors: Record<Weight, Color> = { must: [168, 39, 29], should: [125, 82, 0], nit: [31, 86, 166] };

/** In pixels: a line, a point, and the white edge that makes both show on every image. */
const [lineWidth, spotWidth, edge] = [3, 11, 2];
/** Of a digit, in pixels. */
const dot = 3;
const padding = 2 * dot;

/** Draws the marks. Those that come first lie on top. */
export function drawMarks(raster: Raster, marks: readonly Mark[]): void {
  const drawn = marks.toReversed().map((mark) => ({ mark, points: pointsOf(raster, mark) }));
  for (const { mark, points } of drawn) {
    const width = points.length === 1 ? spotWidth : lineWidth;
    drawLine(raster, points, width + 2 * edge, white);
    drawLine(raster, points, width, colors[mark.weight]);
  }
  const taken: Box[] = [];
  const labels = marks.map((mark) => {
    const area = placeLabel(raster, pinOf(raster, mark), sizeOfLabel(mark.n), taken);
    taken.push(area);
    return { mark, area };
  });
  for (const { mark, area } of labels.toReversed()) {
    const { x, y, w, h } = area;
    fillArea(raster, { x: x - edge, y: y - edge, w: w + 2 * edge, h: h + 2 * edge }, white);
    fillArea(raster, area, colors[mark.weight]);
    drawNumber(raster, mark.n, [x + padding, y + padding], dot, white);
  }
}

/** From the unit of targets to pixels. */
const toPixels = ({ width, height }: Raster, [x, y]: Position): Position => [
  (x / unit) * width,
  (y / unit) * height,
];

/** The corners of a shape in pixels; those of a box come back to the first. */
function pointsOf(raster: Raster, { x = 0, y = 0, w = 0, h = 0, points, shape }: Mark): Position[] {
  const corners: Position[] =
    shape === "path"
      ? (points ?? []).map(([left = 0, top = 0]) => [left, top] as const)
      : shape === "point"
        ? [[x, y]]
        : [
            [x, y],
            [x + w, y],
            [x + w, y + h],
            [x, y + h],
            [x, y],
          ];
  return corners.map((corner) => toPixels(raster, corner));
}

const pinOf = (raster: Raster, mark: Mark): Position => pointsOf(raster, mark)[0] ?? [0, 0];

function sizeOfLabel(n: number): { w: number; h: number } {
  const { w, h } = sizeOfNumber(n);
  return { w: w * dot + 2 * padding, h: h * dot + 2 * padding };
}

const gap = 6;

/** Beside a pin within the image, where no other label is if there is such a place. */
function placeLabel(
  { width, height }: Raster,
  [x, y]: Position,
  { w, h }: { w: number; h: number },
  taken: readonly Box[],
): Box {
  const clamp = (value: number, max: number) => Math.round(Math.max(edge, Math.min(value, max - edge)));
  const [right, left, above, below] = [x + gap, x - gap - w, y - gap - h, y + gap];
  const places = [
    ...[[right, above] as const, [left, above] as const, [right, below] as const, [left, below] as const],
    ...[[right, above - h] as const, [right + w, above] as const],
  ].map(([px, py]) => ({ x: clamp(px, width - w), y: clamp(py, height - h), w, h }));
  const isFree = (area: Box) => !taken.some((other) => overlap(area, other));
  return places.find(isFree) ?? (places[0] as Box);
}

const overlap = (a: Box, b: Box): boolean =>
  a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;

/** Dots of a digit: a sandboxed child has no fonts, and a pin needs nothing else. */
const [columns, rows] = [5, 7];

/** A byte for each row of a digit, whose lower five bits are its dots. */
const glyphs = [
  ...["0e11131519110e", "040c040404040e", "0e11010204081f", "1f02040201110e", "02060a121f0202"],
  ...["1f101e0101110e", "0608101e11110e", "1f010204080808", "0e11110e11110e", "0e11110f01020c"],
].map((hex) => Buffer.from(hex, "hex"));

/** Width and height of a number in dots, with a dot between its digits. */
const sizeOfNumber = (n: number): { w: number; h: number } => ({
  w: String(n).length * (columns + 1) - 1,
  h: rows,
});

/** Draws a number from its upper left corner on. @param dot size of a dot in pixels */
function drawNumber(raster: Raster, n: number, [x, y]: Position, dot: number, color: Color): void {
  for (const [index, digit] of [...String(n)].entries())
    for (const [row, dots] of (glyphs[Number(digit)] as Buffer).entries())
      for (let column = 0; column < columns; column++) {
        if ((dots & (1 << (columns - 1 - column))) === 0) continue;
        const left = x + (index * (columns + 1) + column) * dot;
        fillArea(raster, { x: left, y: y + row * dot, w: dot, h: dot }, color);
      }
}
