/** An image as brightness and two differences of color, on a ground, for comparisons. */
import type { Size } from "../../geometry.ts";
import type { Raster } from "../../images/raster.ts";
import type { Picture, Place } from "./picture.ts";
import { shiftedPlane } from "./shifted-plane.ts";

/** Of blocks of 2 × 2 pixels, as most encoders store no more of colors. */
interface Blocks {
  /** Of the brightness: its sum, and how much the four pixels differ from their neighbors. */
  sums: Int16Array;
  edges: Int16Array;
  /** Sums of blue and red less green. */
  blue: Int16Array;
  red: Int16Array;
}

/** The brightness is from 0 to 255, weighted as encoders do (BT.601): what they lose of colors is not in it. */
export interface Planes extends Picture, Blocks {}

/** @param ground the gray that shows through transparent pixels; null if there are none */
export function planesOf(raster: Raster, ground: number | null): Planes {
  const { width, height } = raster;
  const pixels = ground === null ? wordsOf(raster) : opaquePixels(raster, ground);
  let luma: Int16Array | undefined;
  return {
    width,
    height,
    ...blocksOf(pixels, raster),
    // Only where a crop is searched for.
    get luma() {
      return (luma ??= lumaOf(pixels));
    },
  };
}

/** Red and blue of a pixel, which do not touch: four of them add up in one number. Red is the lowest byte. */
const redAndBlue = 0xff00ff;
/** Multiplied by them, the upper half of the product is 77 times red and 29 times blue. */
const weights = (77 << 16) | 29;
const levelOf = (pixel: number): number =>
  ((Math.imul(pixel & redAndBlue, weights) >>> 16) + 150 * ((pixel >> 8) & 255)) >> 8;

function lumaOf(pixels: Int32Array): Int16Array {
  const luma = new Int16Array(pixels.length);
  for (let at = 0; at < luma.length; at++) luma[at] = levelOf(pixels[at] as number);
  return luma;
}

/** One pass without destructuring, which the compiler of cold code makes arrays of: it takes five times as long. */
function blocksOf(pixels: Int32Array, { width, height }: Size): Blocks {
  const [columns, rows] = [width >> 1, height >> 1];
  const count = columns * rows;
  const [sums, edges] = [new Int16Array(count), new Int16Array(count)];
  const [blue, red] = [new Int16Array(count), new Int16Array(count)];
  for (let row = 0, to = 0; row < rows; row++)
    for (let column = 0, at = row * 2 * width; column < columns; column++, at += 2, to++) {
      const a = pixels[at] as number;
      const b = pixels[at + 1] as number;
      const c = pixels[at + width] as number;
      const d = pixels[at + width + 1] as number;
      const outer = (a & redAndBlue) + (b & redAndBlue) + (c & redAndBlue) + (d & redAndBlue);
      const green = ((a >> 8) & 255) + ((b >> 8) & 255) + ((c >> 8) & 255) + ((d >> 8) & 255);
      blue[to] = (outer >> 16) - green;
      red[to] = (outer & 0xffff) - green;
      const one = levelOf(a);
      const two = levelOf(b);
      const three = levelOf(c);
      const four = levelOf(d);
      sums[to] = one + two + three + four;
      edges[to] = Math.abs(one - two) + Math.abs(three - four) + Math.abs(one - three) + Math.abs(two - four);
    }
  return { sums, edges, blue, red };
}

function opaquePixels(raster: Raster, ground: number): Int32Array {
  const pixels = wordsOf(raster);
  const opaque = new Int32Array(pixels.length);
  for (let at = 0; at < pixels.length; at++) {
    const pixel = pixels[at] as number;
    const alpha = pixel >>> 24;
    opaque[at] = alpha === 255 ? pixel : shownOn(pixel, alpha / 255, ground);
  }
  return opaque;
}

function shownOn(pixel: number, share: number, ground: number): number {
  const rest = ground * (1 - share) + 0.5;
  const red = ((pixel & 255) * share + rest) | 0;
  const green = (((pixel >> 8) & 255) * share + rest) | 0;
  const blue = (((pixel >> 16) & 255) * share + rest) | 0;
  return red | (green << 8) | (blue << 16);
}

/** Signed numbers, which loops add without a conversion. */
const wordsOf = ({ pixels }: Raster): Int32Array =>
  new Int32Array(pixels.buffer, pixels.byteOffset, pixels.length / 4);

export function hasTransparency(raster: Raster): boolean {
  const pixels = wordsOf(raster);
  let all = -1;
  for (let at = 0; at < pixels.length; at++) all &= pixels[at] as number;
  return all >>> 24 !== 255;
}

/** A part of the planes, as they would be at this size. */
export function cutPlanes(planes: Planes, place: Place, size: Size): Planes {
  const half = (one: Size): Size => ({ width: one.width >> 1, height: one.height >> 1 });
  const cut = (plane: Int16Array) => shiftedPlane(plane, half(planes), place, half(size));
  const { width, height } = size;
  const luma = shiftedPlane(planes.luma, planes, place, size);
  return { width, height, luma, ...brightnessOf(luma, size), blue: cut(planes.blue), red: cut(planes.red) };
}

function brightnessOf(luma: Int16Array, { width, height }: Size): Pick<Blocks, "sums" | "edges"> {
  const [columns, rows] = [width >> 1, height >> 1];
  const [sums, edges] = [new Int16Array(columns * rows), new Int16Array(columns * rows)];
  for (let row = 0, to = 0; row < rows; row++)
    for (let column = 0, at = row * 2 * width; column < columns; column++, at += 2, to++) {
      const a = luma[at] as number;
      const b = luma[at + 1] as number;
      const c = luma[at + width] as number;
      const d = luma[at + width + 1] as number;
      sums[to] = a + b + c + d;
      edges[to] = Math.abs(a - b) + Math.abs(c - d) + Math.abs(a - c) + Math.abs(b - d);
    }
  return { sums, edges };
}
