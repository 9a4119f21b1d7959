/** What changed between two images: nothing large hides in "same", and a fault has a layer of its own. */
import { describe, expect, test } from "bun:test";
import { encodePng } from "../../../src/files/probe/images/raster.ts";
import type { PictureChange } from "../../../src/files/probe/likeness/schema.ts";
import { bytesSource } from "../../../src/files/probe/source.ts";
import { probe } from "../../support/assets/test-probe.ts";
import { must } from "../../support/harness.ts";

const [width, height] = [400, 250];
type Color = [number, number, number];
type Area = [x: number, y: number, w: number, h: number];

/** A page: a header, and a pattern below it that is as busy as text. */
function page(...changes: [Area, Color][]): Uint8Array {
  const pixels = new Uint8Array(width * height * 4).fill(255);
  const paint = ([x, y, w, h]: Area, [r, g, b]: Color) => {
    for (let row = y; row < y + h; row++)
      for (let column = x; column < x + w; column++) pixels.set([r, g, b], (row * width + column) * 4);
  };
  paint([0, 0, width, 30], [35, 74, 138]);
  for (let y = 50; y < 240; y += 10)
    for (let x = 20; x < 380; x += 7) paint([x, y, 1 + (x % 4), 5], [40, 40, 40]);
  for (const [area, color] of changes) paint(area, color);
  return encodePng({ width, height, pixels });
}

const compare = async (before: Uint8Array, after: Uint8Array, mime = "image/png"): Promise<PictureChange> =>
  must(
    await probe.compare(
      { source: bytesSource(before), mime: "image/png" },
      { source: bytesSource(after), mime },
    ),
  );

const green: [Area, Color] = [
  [0, 0, width, 30],
  [26, 127, 55],
];

describe("comparing two images", () => {
  test("a lossless encoding of the same pixels is the same", async () => {
    const before = page();
    const again = await new Bun.Image(before).png({ compressionLevel: 9 }).bytes();
    expect(again).not.toEqual(before);
    expect(await compare(before, again)).toEqual({ state: "same", worst: 0, layers: [] });
  });

  test("a lossy encoding is similar, never the same", async () => {
    const before = page();
    const jpeg = await new Bun.Image(before).jpeg({ quality: 90 }).bytes();
    const change = await compare(before, jpeg, "image/jpeg");
    expect(change.state).toBe("similar");
    expect(change.worst).toBeGreaterThan(2);
  });

  test("a faint color over 1 % of the area is a change, with a box around it", async () => {
    const area: Area = [200, 100, 40, 25];
    const { state, layers } = await compare(page([area, [200, 200, 200]]), page([area, [209, 200, 200]]));
    expect(state).toBe("changed");
    expect(layers).toEqual([{ color: [9, 0, 0], pixels: 10_000, boxes: [[5000, 4000, 1000, 1000]] }]);
  });

  test("a part that is gone is found in a lossy image too", async () => {
    const gone = page([
      [100, 50, 60, 20],
      [255, 255, 255],
    ]);
    const jpeg = await new Bun.Image(gone).jpeg({ quality: 75 }).bytes();
    const { layers } = await compare(page(), jpeg, "image/jpeg");
    const [[x, y, w, h]] = must(layers[0]).boxes as [[number, number, number, number]];
    expect([x, y, x + w, y + h].map((side) => Math.round(side / 500))).toEqual([5, 4, 8, 6]);
  });

  test("a fault beside and within another change has a layer of its own", async () => {
    const header = await compare(page(), page(green));
    expect(header.layers.map(({ color }) => color)).toEqual([[-9, 53, -83]]);
    const inHeader: [Area, Color] = [
      [300, 5, 50, 20],
      [255, 255, 255],
    ];
    const { layers } = await compare(page(), page(green, inHeader));
    expect(layers.map(({ color, boxes }) => ({ color, boxes }))).toEqual([
      { color: [-9, 53, -83], boxes: [[0, 0, 10_000, 1200]] },
      { color: [220, 181, 117], boxes: [[7500, 200, 1250, 800]] },
    ]);
  });

  test("a transparent part is compared as it is shown on white and on black", async () => {
    const clear = (alpha: number) =>
      encodePng({
        width,
        height,
        pixels: new Uint8Array(width * height * 4)
          .fill(255)
          .map((value, at) => (at % 4 === 3 && at < 40_000 ? alpha : value)),
      });
    expect((await compare(clear(255), clear(0))).state).toBe("changed");
  });

  test("a page that grew has changed where it grew", async () => {
    const pixels = new Uint8Array(width * (height + 50) * 4).fill(255);
    const before = encodePng({ width, height, pixels: pixels.slice(0, width * height * 4) });
    const { state, layers } = await compare(before, encodePng({ width, height: height + 50, pixels }));
    expect(state).toBe("changed");
    expect(layers).toEqual([{ color: null, pixels: 166_700, boxes: [[0, 8333, 10_000, 1667]] }]);
  });

  test("a damaged image has no comparison", async () => {
    const damaged = page().slice(0, 20);
    const source = { source: bytesSource(damaged), mime: "image/png" };
    expect(await probe.compare(source, { source: bytesSource(page()), mime: "image/png" })).toBeNull();
  });
});
