/**
 * What changed between two images, how they are scaled, how two players stay at one time, and which texts are
 * compared line by line.
 */
import { describe, expect, test } from "bun:test";
import type { Asset } from "../../../src/library/assets/schema.ts";
import { textBytesMax } from "../../../src/web/desk/asset-text.ts";
import { defaultMode } from "../../../src/web/desk/compare/modes.ts";
import { findChanges } from "../../../src/web/islands/compare/changed-regions.ts";
import { correctionOf } from "../../../src/web/islands/compare/clock-drift.ts";
import { equalSizes } from "../../../src/web/islands/compare/sizes.ts";

type Box = [x: number, y: number, w: number, h: number];

function changed(width: number, height: number, boxes: Box[]): Uint8Array {
  const mask = new Uint8Array(width * height);
  for (const [x, y, w, h] of boxes)
    for (let row = y; row < y + h; row++) mask.fill(255, row * width + x, row * width + x + w);
  return mask;
}

describe("the regions that changed", () => {
  const [width, height] = [960, 480]; // blocks of 10 pixels
  const regionsOf = (...boxes: Box[]) =>
    findChanges(changed(width, height, boxes), width, height).regions.map(({ x, y, w, h }) => [x, y, w, h]);

  test("are the exact boxes around what is close together, from top to bottom", () => {
    expect(regionsOf([700, 300, 41, 7], [33, 5, 1, 1], [400, 300, 2, 2])).toEqual([
      [33, 5, 1, 1],
      [400, 300, 2, 2],
      [700, 300, 41, 7],
    ]);
    expect(regionsOf([100, 100, 9, 9], [122, 112, 20, 30])).toEqual([[100, 100, 42, 42]]);
  });

  test("at opposite edges of neighbouring rows stay apart", () => {
    expect(regionsOf([0, 10, 5, 5], [955, 0, 5, 5])).toHaveLength(2);
  });

  test("are none where nothing changed, and say nothing of an image that changed everywhere", () => {
    expect(findChanges(changed(width, height, []), width, height)).toEqual({
      ...{ regions: [], share: 0, isEverywhere: false },
    });
    const half = findChanges(changed(width, height, [[0, 0, width, 240]]), width, height);
    expect([half.share, half.isEverywhere]).toEqual([0.5, true]);
    const specks = Array.from({ length: 80 }, (_, n): Box => [(n % 20) * 48, Math.floor(n / 20) * 100, 1, 1]);
    expect(findChanges(changed(width, height, specks), width, height).isEverywhere).toBe(true);
  });
});

describe("two images", () => {
  const room = { width: 800, height: 700 };
  test("of one shape get one size, that of the larger one as far as it fits", () => {
    const size = { width: 800, height: 600 };
    expect(equalSizes({ width: 400, height: 300 }, { width: 1600, height: 1200 }, room)).toEqual([
      size,
      size,
    ]);
  });

  test("of other shapes keep their pixels at one scale", () => {
    expect(equalSizes({ width: 1600, height: 900 }, { width: 1600, height: 1400 }, room)).toEqual([
      { width: 800, height: 450 },
      { width: 800, height: 700 },
    ]);
  });
});

describe("drift between two players", () => {
  test("is left alone within a frame, caught up by speed, and above 0.3 seconds by a seek", () => {
    const frame = 1 / 25;
    expect(correctionOf(0.03, frame)).toEqual({ seek: false, rate: 1 });
    expect(correctionOf(0.1, frame)).toEqual({ seek: false, rate: 1.05 });
    expect(correctionOf(-0.29, frame)).toEqual({ seek: false, rate: 0.9 });
    expect(correctionOf(0.31, frame)).toEqual({ seek: true });
  });
});

test("plain texts of up to 512 KiB are compared line by line, and larger ones side by side", () => {
  const text = (size: number) =>
    ({ kind: "file", mime: "text/plain", url: "http://svc.test/a", size }) as Asset;
  const modes = [
    [textBytesMax, textBytesMax],
    [1, textBytesMax + 1],
    [textBytesMax + 1, 1],
  ].map(([older = 0, newer = 0]) => defaultMode(text(older), text(newer)));
  expect([textBytesMax / 1024, ...modes]).toEqual([512, "text", "side", "side"]);
});
