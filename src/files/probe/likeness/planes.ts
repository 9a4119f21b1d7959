/** An image as brightness and two differences of color, on a ground, for comparisons. */
import type { Size } from "../geometry.ts";
import type { Samples } from "../images/raster.ts";

/** The brightness of an image. */
export interface Picture extends Size {
  luma: Int16Array;
}

/** Left and top in the original, in shares of it, and the shares of its sides that are shown. */
export interface Place {
  left: number;
  top: number;
  width: number;
  height: number;
}

export interface Planes extends Size {
  /** From 0 to 255, weighted as encoders do (BT.601): what they lose of colors is not in it. */
  luma: Int16Array;
  /** Blue and red less green: sums over 2 × 2 pixels, as most encoders store no more of them. */
  blue: Int16Array;
  red: Int16Array;
}

/** @param ground the gray that shows through transparent pixels */
export function planesOf({ width, height, channels, pixels }: Samples, ground: number): Planes {
  const count = width * height;
  const columns = width >> 1;
  const end = columns * (height >> 1);
  const [luma, blue, red] = [new Int16Array(count), new Int16Array(end), new Int16Array(end)];
  for (let at = 0, from = 0; at < count; at++, from += channels) {
    let r = pixels[from] as number;
    let g = pixels[from + 1] as number;
    let b = pixels[from + 2] as number;
    const alpha = channels === 4 ? (pixels[from + 3] as number) : 255;
    if (alpha < 255) {
      const share = alpha / 255;
      const rest = ground * (1 - share);
      r = r * share + rest;
      g = g * share + rest;
      b = b * share + rest;
    }
    luma[at] = (77 * r + 150 * g + 29 * b) >> 8;
    const x = at % width;
    const to = (((at - x) / width) >> 1) * columns + (x >> 1);
    if (to >= end || x >= columns * 2) continue;
    (blue[to] as number) += b - g;
    (red[to] as number) += r - g;
  }
  return { width, height, luma, blue, red };
}

export function hasTransparency({ pixels, channels }: Samples): boolean {
  if (channels < 4) return false;
  for (let at = 3; at < pixels.length; at += 4) if (pixels[at] !== 255) return true;
  return false;
}

/** A part of the planes, as they would be at this size. */
export function cutPlanes(planes: Planes, place: Place, size: Size): Planes {
  const half = (one: Size): Size => ({ width: one.width >> 1, height: one.height >> 1 });
  const cut = (plane: Int16Array) => shiftedPlane(plane, half(planes), place, half(size));
  const { width, height } = size;
  const luma = shiftedPlane(planes.luma, planes, place, size);
  return { width, height, luma, blue: cut(planes.blue), red: cut(planes.red) };
}

/** A part of a plane, scaled a little: between its pixels, it is interpolated. */
export function shiftedPlane(plane: Int16Array, from: Size, place: Place, to: Size): Int16Array {
  const found = new Int16Array(to.width * to.height);
  const columns = samples(
    place.left * from.width,
    (place.width * from.width) / to.width,
    to.width,
    from.width,
  );
  const rows = samples(
    place.top * from.height,
    (place.height * from.height) / to.height,
    to.height,
    from.height,
  );
  for (let row = 0, at = 0; row < to.height; row++) {
    const down = rows.shares[row] as number;
    const upper = (rows.first[row] as number) * from.width;
    const lower = (rows.second[row] as number) * from.width;
    for (let column = 0; column < to.width; column++, at++) {
      const share = columns.shares[column] as number;
      const left = columns.first[column] as number;
      const right = columns.second[column] as number;
      const above = (plane[upper + left] as number) * (1 - share) + (plane[upper + right] as number) * share;
      const below = (plane[lower + left] as number) * (1 - share) + (plane[lower + right] as number) * share;
      found[at] = Math.round(above * (1 - down) + below * down);
    }
  }
  return found;
}

/** For each pixel of a side the two pixels it lies between, and how near it is to the second. */
function samples(start: number, step: number, count: number, length: number) {
  const [first, second, shares] = [new Int32Array(count), new Int32Array(count), new Float32Array(count)];
  for (let at = 0; at < count; at++) {
    const place = Math.min(length - 1, Math.max(0, start + (at + 0.5) * step - 0.5));
    const below = Math.floor(place);
    first[at] = below;
    second[at] = Math.min(length - 1, below + 1);
    shares[at] = place - below;
  }
  return { first, second, shares };
}

/** Half as wide and high. */
export function halved({ width, height, luma }: Picture): Picture {
  const [columns, rows] = [width >> 1, height >> 1];
  const found = new Int16Array(columns * rows);
  for (let row = 0, to = 0; row < rows; row++)
    for (let column = 0; column < columns; column++, to++) {
      const at = row * 2 * width + column * 2;
      found[to] =
        ((luma[at] as number) +
          (luma[at + 1] as number) +
          (luma[at + width] as number) +
          (luma[at + width + 1] as number)) >>
        2;
    }
  return { width: columns, height: rows, luma: found };
}
