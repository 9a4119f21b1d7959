/** Which pixels of two images of one size differ, and by how much. */
import type { Raster } from "../../images/raster.ts";

/**
 * A pixel may differ by this much in a channel and still be the same: decoders and color conversions round.
 * No screen shows such a difference, so it hides nothing, however large its area is.
 */
export const roundingMax = 2;
/** A pixel of a lossless image changed if a channel differs by more. */
const losslessMax = 8;
/** Lossy encoders miss single pixels by much and the mean of a window by little. */
const [lossyMax, windowMeanMax, certainMax] = [24, 6, 80] as const;
/** Side of a window, in pixels: a block of JPEG. */
const side = 8;

/** Three differences a pixel: red, green, and blue. */
export type Differences = Int16Array;

/** Of what is shown on white and on black, the larger one: a transparent pixel has no color. */
export function differencesOf({ pixels: one }: Raster, { pixels: other }: Raster): Differences {
  const found = new Int16Array((one.length / 4) * 3);
  const difference = (at: number, channel: number, ground: number) =>
    shown(other, at, channel, ground) - shown(one, at, channel, ground);
  for (let at = 0, to = 0; at < one.length; at += 4, to += 3) {
    const isOpaque = one[at + 3] === 255 && other[at + 3] === 255;
    for (let channel = 0; channel < 3; channel++) {
      if (isOpaque) found[to + channel] = (other[at + channel] as number) - (one[at + channel] as number);
      else {
        const [onWhite, onBlack] = [difference(at, channel, 255), difference(at, channel, 0)];
        found[to + channel] = Math.abs(onWhite) >= Math.abs(onBlack) ? onWhite : onBlack;
      }
    }
  }
  return found;
}

function shown(pixels: Uint8Array, at: number, channel: number, ground: number): number {
  const alpha = (pixels[at + 3] as number) / 255;
  return Math.round((pixels[at + channel] as number) * alpha + ground * (1 - alpha));
}

export const largestOf = (differences: Differences, pixel: number): number =>
  Math.max(
    Math.abs(differences[pixel * 3] as number),
    Math.abs(differences[pixel * 3 + 1] as number),
    Math.abs(differences[pixel * 3 + 2] as number),
  );

/** The largest difference of all. */
export function worstOf(differences: Differences): number {
  let worst = 0;
  for (let at = 0; at < differences.length; at++)
    worst = Math.max(worst, Math.abs(differences[at] as number));
  return worst;
}

/** The pixels that changed visibly. @param isLossy one of the images was stored by a lossy encoder */
export function changedPixels(differences: Differences, width: number, isLossy: boolean): number[] {
  const changed: number[] = [];
  const count = differences.length / 3;
  const isMoved = isLossy ? movedWindows(differences, width) : null;
  for (let pixel = 0; pixel < count; pixel++) {
    const largest = largestOf(differences, pixel);
    const isChanged = isMoved
      ? largest > certainMax || (largest > lossyMax && isMoved(pixel))
      : largest > losslessMax;
    if (isChanged) changed.push(pixel);
  }
  return changed;
}

/** Whether the mean of a pixel's window differs: the noise of an encoder cancels out, a change does not. */
function movedWindows(differences: Differences, width: number): (pixel: number) => boolean {
  const columns = Math.ceil(width / side);
  const windowOf = (pixel: number) =>
    Math.floor(pixel / width / side) * columns + Math.floor((pixel % width) / side);
  const count = differences.length / 3;
  const sums = new Int32Array((windowOf(count - 1) + 1) * 3);
  for (let pixel = 0; pixel < count; pixel++) {
    const at = windowOf(pixel) * 3;
    for (let channel = 0; channel < 3; channel++)
      (sums[at + channel] as number) += differences[pixel * 3 + channel] as number;
  }
  return (pixel) => {
    const at = windowOf(pixel) * 3;
    return [0, 1, 2].some((channel) => Math.abs(sums[at + channel] as number) > windowMeanMax * side * side);
  };
}
