/** In the child: whether an image is another one after re-encoding, resizing, or cropping, and where it is not. */
import type { Size } from "../../geometry.ts";
import { findPlace, refinePlace, shareMin, wholePlace } from "./align.ts";
import type { ComparedPicture } from "./compared-picture.ts";
import { hasPlainFrame } from "./frame.ts";
import type { Place } from "./picture.ts";
import { cutPlanes, type Planes } from "./planes.ts";
import { type ChangedCells, changedCells } from "./windows.ts";

/** Larger images are scaled down: what a reader sees of a page is still there. */
const pixelsMax = 1_050_000;
/** At this size most corrections are found at a third of the cost, and differences above the bounds by so much. */
const [roughPixels, roughStrictness] = [320_000, 1.3] as const;
/** Smaller images show too little to be told apart. */
const sideMin = 12;
/** Of the cells with edges, so many change by a correction in few places. */
const localMax = 0.25;
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

/** How closely two images are compared. */
interface Measure {
  pixels: number;
  strictness: number;
}

/**
 * Compares the newer image with one before it. Null if one is too small. Throws if one is damaged or too
 * large.
 * @param hasMarks whether it matters where they differ
 */
export async function matchPictures(
  before: ComparedPicture,
  after: ComparedPicture,
  hasMarks: boolean,
): Promise<PictureMatch | null> {
  const isLarge = Math.min(before.width * before.height, after.width * after.height) > 1.5 * roughPixels;
  const rough = { pixels: roughPixels, strictness: roughStrictness };
  const found = isLarge && !hasMarks ? await matchAt(before, after, rough) : null;
  return found && !found.isSame ? found : matchAt(before, after, { pixels: pixelsMax, strictness: 1 });
}

async function matchAt(
  before: ComparedPicture,
  after: ComparedPicture,
  measure: Measure,
): Promise<PictureMatch | null> {
  const size = comparedSize(before, after, measure);
  if (Math.min(size.width, size.height) < sideMin) return null;
  const isClear = [await before.hasTransparency(size), await after.hasTransparency(size)];
  // As transparent in both, it is shown on any ground. Where one lost its transparency, one ground is right.
  const found: PictureMatch[] = [];
  for (const ground of isClear.some(Boolean) ? [white, black] : [white])
    found.push(await matchOn(before, after, ground, measure));
  const [first, second] = found as [PictureMatch, PictureMatch?];
  const isWorse = second && second.changed.count > first.changed.count;
  return second && isClear.every(Boolean) === isWorse ? second : first;
}

/** Of the second image, at most as wide and high as the first. */
function comparedSize(before: Size, after: Size, { pixels }: Measure): Size {
  const scale = Math.min(
    1,
    before.width / after.width,
    before.height / after.height,
    Math.sqrt(pixels / (after.width * after.height)),
  );
  return { width: Math.round(after.width * scale), height: Math.round(after.height * scale) };
}

/** First as a whole, since most images come back whole; then as what a crop left, and as what a border frames. */
async function matchOn(
  before: ComparedPicture,
  after: ComparedPicture,
  ground: number,
  measure: Measure,
): Promise<PictureMatch> {
  const size = comparedSize(before, after, measure);
  const [original, other] = [await before.planes(size, ground), await after.planes(size, ground)];
  const whole = toMatch(changedCells(original, other, measure.strictness), wholePlace);
  if (whole.isSame || isLocal(whole.changed)) return whole;
  const cropped = await matchPart(before, after, ground, measure);
  if (cropped?.match.isSame) return cropped.match;
  if (before.width !== after.width && hasPlainFrame(other, wholePlace)) {
    const framed = await matchPart(after, before, ground, measure);
    if (framed?.match.isSame && hasPlainFrame(framed.whole, framed.match.shown))
      return { ...framed.match, shown: wholePlace };
  }
  const corner = cropped ? null : await matchCorner(before, after, ground, measure);
  return fewestChanges([whole, cropped?.match ?? null, corner]);
}

/** Whether too little changed for an image that was cropped: that would move nearly every edge. */
const isLocal = ({ count, edgy }: ChangedCells): boolean => count < localMax * edgy;

/** A part of one image that the other shows; null if it shows all of it, or too little. */
async function matchPart(
  all: ComparedPicture,
  part: ComparedPicture,
  ground: number,
  measure: Measure,
): Promise<{ match: PictureMatch; whole: Planes } | null> {
  const size = comparedSize(all, part, measure);
  const [original, other] = [await all.planes(size, ground), await part.planes(size, ground)];
  const place = refinePlace(original, other, [wholePlace, findPlace(original, other)]);
  if (!isCrop(place, other)) return null;
  const scaled = {
    width: Math.round(other.width / place.width),
    height: Math.round(other.height / place.height),
  };
  const isNative = Math.abs(scaled.width - all.width) < 2 && Math.abs(scaled.height - all.height) < 2;
  const whole = await all.planes(isNative ? all : scaled, ground);
  const shown = isNative ? snapped(place, all, other) : place;
  return {
    match: toMatch(changedCells(cutPlanes(whole, shown, other), other, measure.strictness), shown),
    whole,
  };
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
  before: ComparedPicture,
  after: ComparedPicture,
  ground: number,
  { pixels, strictness }: Measure,
): Promise<PictureMatch | null> {
  if ((before.width === after.width) === (before.height === after.height)) return null;
  const [older, newer] = [fitting(before), fitting(after)];
  const size = { width: Math.min(older.width, newer.width), height: Math.min(older.height, newer.height) };
  const corner = async (image: ComparedPicture, all: Size): Promise<Planes> => {
    const place = { left: 0, top: 0, width: size.width / all.width, height: size.height / all.height };
    return cutPlanes(await image.planes(all, ground), place, size);
  };
  const shown = { left: 0, top: 0, width: size.width / older.width, height: size.height / older.height };
  const changed = changedCells(await corner(before, older), await corner(after, newer), strictness);
  return { ...toMatch(changed, shown), isSame: false };

  /** Both at one scale. */
  function fitting({ width, height }: Size): Size {
    const largest = Math.max(before.width * before.height, after.width * after.height);
    const scale = Math.min(1, Math.sqrt(pixels / largest));
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
