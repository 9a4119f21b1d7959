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
  /** In the part that both show. */
  changed: ChangedCells;
  /** Which part of the older image that is. */
  shown: Place;
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
    found.push(await matchOn(before, after, planesOf(original, ground), planesOf(other, ground), ground));
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
  after: OpenedImage,
  original: Planes,
  other: Planes,
  ground: number,
): Promise<PictureMatch> {
  const whole = toMatch(changedCells(original, other), wholePlace);
  if (whole.isSame) return whole;
  const place = refinePlace(original, other, [wholePlace, findPlace(original, other)]);
  if (!isCrop(place, other)) return fewestChanges([whole, await matchCorner(before, after, ground)]);
  const size = {
    width: Math.round(other.width / place.width),
    height: Math.round(other.height / place.height),
  };
  const isNative = Math.abs(size.width - before.width) < 2 && Math.abs(size.height - before.height) < 2;
  const larger = planesOf(await drawn(before, isNative ? before : size), ground);
  const shown = isNative ? snapped(place, before, other) : place;
  const cropped = toMatch(changedCells(cutPlanes(larger, shown, other), other), shown);
  return cropped.isSame ? cropped : fewestChanges([whole, cropped, await matchCorner(before, after, ground)]);
}

const toMatch = (changed: ChangedCells, shown: Place): PictureMatch => ({
  isSame: changed.count === 0,
  changed,
  shown,
});

/** By their share: of parts of several sizes. */
const fewestChanges = (matches: readonly (PictureMatch | null)[]): PictureMatch =>
  matches
    .filter((one) => one !== null)
    .reduce((best, next) => (changedShare(next) < changedShare(best) ? next : best));

const changedShare = ({ changed }: PictureMatch): number => changed.count / changed.cells.length;

/** The upper left corner of images of one width or height, as of a page that grew: it is never the same image. */
async function matchCorner(
  before: OpenedImage,
  after: OpenedImage,
  ground: number,
): Promise<PictureMatch | null> {
  if ((before.width === after.width) === (before.height === after.height)) return null;
  const [older, newer] = [await drawn(before, fitting(before)), await drawn(after, fitting(after))];
  const size = { width: Math.min(older.width, newer.width), height: Math.min(older.height, newer.height) };
  const corner = (image: Raster): Planes => {
    const place = { left: 0, top: 0, width: size.width / image.width, height: size.height / image.height };
    return cutPlanes(planesOf(image, ground), place, size);
  };
  const shown = { left: 0, top: 0, width: size.width / older.width, height: size.height / older.height };
  return { ...toMatch(changedCells(corner(older), corner(newer)), shown), isSame: false };

  /** Both at one scale. */
  function fitting({ width, height }: Size): Size {
    const pixels = Math.max(before.width * before.height, after.width * after.height);
    const scale = Math.min(1, Math.sqrt(pixelsMax / pixels));
    return { width: Math.round(width * scale), height: Math.round(height * scale) };
  }
}

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
