/** A made set: rejected images that come back in other forms are named, and corrected ones are not. */
import { expect, test } from "bun:test";
import { decodePng, encodePng } from "../../../src/files/probe/images/raster.ts";
import { openMatcher } from "../../../src/files/probe/likeness/match.ts";
import type { FileMatch } from "../../../src/files/probe/likeness/schema.ts";
import { type Target, unit } from "../../../src/files/probe/marks/schema.ts";
import { reached, times } from "../../faults/promises.ts";
import { must } from "../../support/harness.ts";
import { type Attempt, correct, draw, forms, makeAttempt } from "../../support/likeness/made-set.ts";

const count = times("madeRepeats");

const fileOf = (bytes: Uint8Array, mime: string) => ({
  file: { size: bytes.length, read: (start: number, length: number) => bytes.slice(start, start + length) },
  mime,
  name: "page",
});
const match = async (
  before: Uint8Array,
  after: Uint8Array,
  mime: string,
  marks: Target[],
): Promise<FileMatch> => must(await openMatcher(fileOf(after, mime))(fileOf(before, "image/png"), marks));

/** A box around a part, as a reviewer draws it. */
function markOf({ width, height, parts }: Attempt, name: string): Target {
  const { boxes } = must(parts.find((part) => part.name === name));
  const [left, top] = [Math.min(...boxes.map(([x]) => x)), Math.min(...boxes.map(([, y]) => y))];
  const right = Math.max(...boxes.map(([x, , w]) => x + w));
  const bottom = Math.max(...boxes.map(([, y, , h]) => y + h));
  const share = (value: number, side: number) => Math.round((value / side) * unit);
  return {
    shape: "rect",
    ...{ x: share(left, width), y: share(top, height) },
    ...{ w: share(right - left, width), h: share(bottom - top, height) },
  };
}

/** At most 5 % of each side is cut off. */
function cropped(png: Uint8Array, seed: number): Uint8Array {
  const { width, height, pixels } = decodePng(png);
  const [left, top] = [Math.floor((width * (seed % 4)) / 100), Math.floor((height * (seed % 3)) / 100)];
  const size = { width: Math.floor(width * 0.96) - left, height: Math.floor(height * 0.97) - top };
  const rows = Array.from({ length: size.height }, (_, row) =>
    pixels.subarray(((row + top) * width + left) * 4, ((row + top) * width + left + size.width) * 4),
  );
  return encodePng({ ...size, pixels: Buffer.concat(rows) });
}

test(`of ${count} images in other forms at least 95 % are named, of as many corrected ones at most 1 %`, async () => {
  let [named, unchanged, right, places] = [0, 0, 0, 0];
  for (let seed = 1; seed <= count; seed++) {
    const attempt = makeAttempt(seed);
    // As drawn by a browser, the first one is a PNG of Bun.Image, too.
    const before = await new Bun.Image(draw(attempt)).png().bytes();
    const form = must(forms[seed % forms.length]);
    const again = seed % 4 === 0 ? cropped(before, seed) : before;
    if ((await match(before, await form.make(again), form.mime, [])).isSame) named++;
    const { attempt: corrected, name } = correct(attempt, seed);
    const lossy = must(forms[(seed * 5) % 5]);
    const after = await lossy.make(await new Bun.Image(draw(corrected)).png().bytes());
    const other = name === "logo" ? "button" : "logo";
    const found = await match(before, after, lossy.mime, [markOf(attempt, name), markOf(attempt, other)]);
    if (found.isSame) unchanged++;
    places += 2;
    right += Number(found.places[0] === "changed") + Number(found.places[1] === "unchanged");
  }
  reached("madeRepeats", count);
  expect(named).toBeGreaterThanOrEqual(Math.floor(count * 0.95));
  expect(unchanged).toBeLessThanOrEqual(Math.floor(count * 0.01));
  expect(right).toBeGreaterThanOrEqual(Math.floor(places * 0.98));
});
