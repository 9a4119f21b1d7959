/** Parts of a plane of an image, and planes at half the size. */
import type { Size } from "../../geometry.ts";
import type { Picture, Place } from "./picture.ts";

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
