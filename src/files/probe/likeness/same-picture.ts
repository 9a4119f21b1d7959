/** In the child: whether an image is another one after re-encoding, resizing, or cropping, and where it is not. */
import type { Size } from "../geometry.ts";
import type { OpenedImage } from "../images/image.ts";
import { decodePng, type Raster } from "../images/raster.ts";
import { findPlace, refinePlace, shareMin, wholePlace } from "./align.ts";
import { cutPlanes, hasTransparency, type Place, type Planes, planesOf } from "./planes.ts";
import { type ChangedCells, changedCells } from "./windows.ts";

/** Larger images are scaled down: two of them are compared in 40 ms. */
const pixelsMax = 1_000_000;
/** Smaller images show too little to be told apart. */
const sideMin = 12;
/** A displacement of fewer pixels is none. */
const nearby = 0.25;
const [white, black] = [255, 0] as const;

export interface PictureMatch {
  isSame: boolean;
  /** In the newer image, as it was compared. */
  changed: ChangedCells;
}

/** Compares the newer image with one before it. Null if one is too small. Throws if one is damaged or too large. */
export async function matchPictures(before: OpenedImage, after: OpenedImage): Promise<PictureMatch | null> {
  const size = comparedSize(before, after);
  if (Math.min(size.width, size.height) < sideMin) return null;
  const other = await drawn(after, size);
  const original = await drawn(before, size);
  const isClear = [original, other].map(hasTransparency);
  // As transparent in both, it is shown on any ground. Where one lost its transparency, one ground is right.
  const grounds = isClear.some(Boolean) ? [white, black] : [white];
  const found: PictureMatch[] = [];
  for (const ground of grounds)
    found.push(await matchOn(before, planesOf(original, ground), planesOf(other, ground), ground));
  const [first, second] = found as [PictureMatch, PictureMatch?];
  const isWorse = second && second.changed.count > first.changed.count;
  return second && isClear.every(Boolean) === isWorse ? second : first;
}

/** At most as wide and high as the older one. */
function comparedSize(before: Size, after: Size): Size {
  const scale = Math.min(
    1,
    before.width / after.width,
    before.height / after.height,
    Math.sqrt(pixelsMax / (after.width * after.height)),
  );
  return { width: Math.round(after.width * scale), height: Math.round(after.height * scale) };
}

const drawn = async (image: OpenedImage, size: Size): Promise<Raster> =>
  decodePng(await (await image.scaled(size)).png({ compressionLevel: 0 }).bytes());

/** First as a whole, since most images come back whole; then as what a crop left. */
async function matchOn(
  before: OpenedImage,
  original: Planes,
  other: Planes,
  ground: number,
): Promise<PictureMatch> {
  const whole = toMatch(changedCells(original, other));
  if (whole.isSame) return whole;
  const place = refinePlace(original, other, [wholePlace, findPlace(original, other)]);
  if (!isCrop(place, other)) return whole;
  const size = {
    width: Math.round(other.width / place.width),
    height: Math.round(other.height / place.height),
  };
  const isNative = Math.abs(size.width - before.width) < 2 && Math.abs(size.height - before.height) < 2;
  const larger = planesOf(await drawn(before, isNative ? before : size), ground);
  const cropped = toMatch(
    changedCells(cutPlanes(larger, isNative ? snapped(place, before, other) : place, other), other),
  );
  return cropped.changed.count < whole.changed.count ? cropped : whole;
}

const toMatch = (changed: ChangedCells): PictureMatch => ({ isSame: changed.count === 0, changed });

/** Whether a place is another one than the whole, and within it. */
function isCrop({ left, top, width, height }: Place, size: Size): boolean {
  const [right, bottom] = [1 - left - width, 1 - top - height];
  const sides = [left * size.width, right * size.width, top * size.height, bottom * size.height];
  return (
    sides.some((side) => Math.abs(side) > nearby) &&
    sides.every((side) => side > -1) &&
    Math.min(width, height) >= shareMin
  );
}

/** A crop without scaling begins at a whole pixel. */
const snapped = ({ left, top }: Place, before: Size, { width, height }: Size): Place => ({
  left: Math.round(left * before.width) / before.width,
  top: Math.round(top * before.height) / before.height,
  width: width / before.width,
  height: height / before.height,
});
