/** Finds which part of an image another image shows: all of it, or what a crop left. */
import type { Picture, Place } from "./picture.ts";
import { halved, shiftedPlane } from "./shifted-plane.ts";

/** A side that was cropped shows at least this share of the original. */
export const shareMin = 0.88;
/** Bins of the rough search. */
const [roughBins, blurBins] = [256, 2] as const;
/** Of the longer side of the smallest image that a place is refined on, in pixels. */
const refinedFrom = 160;
/** Larger differences are a change, and say nothing of the place. */
const outlier = 48;
/** Flatter pixels say little of the place; squared levels. */
const slopeMin = 9;

export const wholePlace: Place = { left: 0, top: 0, width: 1, height: 1 };

/** Where in the original the other image is. Both have one size: the original was scaled to it. */
export function findPlace(original: Picture, other: Picture): Place {
  const [one, two] = [edgeProfiles(original), edgeProfiles(other)];
  const [x, y] = [findSpan(one.x, two.x), findSpan(one.y, two.y)];
  return { left: x[0], top: y[0], width: x[1] - x[0], height: y[1] - y[0] };
}

/** How strongly the brightness changes from each column to the next, and from each row to the next. */
function edgeProfiles({ luma, width, height }: Picture): { x: Float64Array; y: Float64Array } {
  const [x, y] = [new Float64Array(width), new Float64Array(height)];
  for (let row = 0, at = 0; row < height - 1; row++, at++) {
    let sum = 0;
    for (let column = 0; column < width - 1; column++, at++) {
      const level = luma[at] as number;
      (x[column] as number) += Math.abs((luma[at + 1] as number) - level);
      sum += Math.abs((luma[at + width] as number) - level);
    }
    y[row] = sum;
  }
  return { x, y };
}

/** From and to, in shares of the original's profile. */
type Span = [number, number];

function findSpan(original: Float64Array, other: Float64Array): Span {
  const [one, two] = [shrunk(original), shrunk(other)];
  const steps = Math.ceil(one.length * (1 - shareMin));
  let [best, score]: [Span, number] = [[0, one.length], Number.NEGATIVE_INFINITY];
  for (let from = 0; from <= steps; from++)
    for (let cut = 0; cut <= steps - from; cut++) {
      const span: Span = [from, one.length - cut];
      const found = correlation(one, two, span);
      if (found > score) [best, score] = [span, found];
    }
  return [best[0] / one.length, best[1] / one.length];
}

/** The normalized correlation of a span, stretched to the other profile's length, with that profile. */
function correlation(original: Float64Array, other: Float64Array, [from, to]: Span): number {
  const count = other.length;
  const scale = (to - from) / count;
  let [a, b, aa, bb, ab] = [0, 0, 0, 0, 0];
  for (let at = 0; at < count; at++) {
    const place = Math.max(0, from + (at + 0.5) * scale - 0.5);
    const below = Math.floor(place);
    const share = place - below;
    const next = Math.min(original.length - 1, below + 1);
    const one = (original[below] as number) * (1 - share) + (original[next] as number) * share;
    const two = other[at] as number;
    a += one;
    b += two;
    aa += one * one;
    bb += two * two;
    ab += one * two;
  }
  const spread = Math.sqrt((aa - (a * a) / count) * (bb - (b * b) / count));
  return spread > 0 ? (ab - (a * b) / count) / spread : 0;
}

/** The means of equal parts, blurred: edges of few pixels would only correlate where they match exactly. */
function shrunk(profile: Float64Array): Float64Array {
  const length = Math.min(roughBins, profile.length);
  const [sums, counts] = [new Float64Array(length), new Float64Array(length)];
  for (let at = 0; at < profile.length; at++) {
    const bin = Math.floor((at * length) / profile.length);
    (sums[bin] as number) += profile[at] as number;
    (counts[bin] as number) += 1;
  }
  const means = sums.map((sum, bin) => sum / (counts[bin] as number));
  return means.map((_, bin) => {
    const near = means.subarray(Math.max(0, bin - blurBins), bin + blurBins + 1);
    return near.reduce((sum, mean) => sum + mean, 0) / near.length;
  });
}

/**
 * Improves the better of some places by least squares: as far as the original is displaced, the differences
 * that are left follow its slopes. From small images to larger ones, so that it finds what is far off, too.
 */
export function refinePlace(original: Picture, other: Picture, places: readonly Place[]): Place {
  const pyramid: [Picture, Picture][] = [[original, other]];
  for (
    let [one, two] = pyramid[0] as [Picture, Picture];
    Math.max(one.width, one.height) >= 2 * refinedFrom;
  ) {
    [one, two] = [halved(one), halved(two)];
    pyramid.unshift([one, two]);
  }
  const [[one, two], ...larger] = pyramid as [[Picture, Picture], ...[Picture, Picture][]];
  const settled = places.map((place) => {
    let found = { place, misfit: Number.POSITIVE_INFINITY };
    for (let round = 0; round < 4; round++) found = improved(one, two, found.place);
    return found;
  });
  let { place } = settled.reduce((best, next) => (next.misfit < best.misfit ? next : best));
  // The largest images would add less than a tenth of a pixel.
  for (const [a, b] of larger.slice(0, larger.length > 1 ? -1 : undefined))
    for (let round = 0; round < 2; round++) ({ place } = improved(a, b, place));
  return place;
}

/** A better place, and the mean difference at the one that was given. */
function improved(original: Picture, other: Picture, place: Place): { place: Place; misfit: number } {
  const { width, height, luma: target } = other;
  const luma = shiftedPlane(original.luma, original, place, other);
  // Displacement across is p + q·x, and down r + s·y: four unknowns, x and y from -1 to 1.
  let [pp, pq, pr, ps, qq, qr, qs, rr, rs, ss] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
  let [p, q, r, s, misfit] = [0, 0, 0, 0, 0];
  for (let row = 1; row < height - 1; row++) {
    const y = (2 * row) / height - 1;
    for (let column = 1, at = row * width + 1; column < width - 1; column++, at++) {
      const difference = (target[at] as number) - (luma[at] as number);
      misfit += difference > outlier || difference < -outlier ? outlier : Math.abs(difference);
      const across = ((luma[at + 1] as number) - (luma[at - 1] as number)) / 2;
      const down = ((luma[at + width] as number) - (luma[at - width] as number)) / 2;
      if (across * across + down * down < slopeMin || difference > outlier || difference < -outlier) continue;
      const x = (2 * column) / width - 1;
      const acrossX = across * x;
      const downY = down * y;
      pp += across * across;
      pq += across * acrossX;
      pr += across * down;
      ps += across * downY;
      qq += acrossX * acrossX;
      qr += acrossX * down;
      qs += acrossX * downY;
      rr += down * down;
      rs += down * downY;
      ss += downY * downY;
      p += across * difference;
      q += acrossX * difference;
      r += down * difference;
      s += downY * difference;
    }
  }
  const [moveX, growX, moveY, growY] = solve([
    [pp, pq, pr, ps, p],
    [pq, qq, qr, qs, q],
    [pr, qr, rr, rs, r],
    [ps, qs, rs, ss, s],
  ]) as [number, number, number, number];
  const [byX, byY] = [place.width / width, place.height / height];
  return {
    place: {
      left: place.left + (moveX - growX) * byX,
      width: place.width + 2 * growX * byX,
      top: place.top + (moveY - growY) * byY,
      height: place.height + 2 * growY * byY,
    },
    misfit: misfit / (width * height),
  };
}

/** Solves linear equations; zeros where an unknown says nothing. */
function solve(rows: number[][]): number[] {
  for (const [at, pivot] of rows.entries()) {
    const size = pivot[at] as number;
    if (Math.abs(size) < 1e-6) return rows.map(() => 0);
    for (const row of rows) {
      if (row === pivot) continue;
      const factor = (row[at] as number) / size;
      for (let column = at; column < row.length; column++)
        (row[column] as number) -= factor * (pivot[column] as number);
    }
  }
  return rows.map((row, at) => (row.at(-1) as number) / (row[at] as number));
}
