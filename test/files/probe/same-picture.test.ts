/** What makes an image another one, and what does not, beyond the made set. */
import { expect, test } from "bun:test";
import { join } from "node:path";
import { decodePng, encodePng } from "../../../src/files/probe/images/raster.ts";
import { openMatcher } from "../../../src/files/probe/likeness/match.ts";
import type { Target } from "../../../src/files/probe/marks/schema.ts";
import { bytesSource } from "../../../src/files/probe/source.ts";
import { open } from "../../support/assets/test-probe.ts";
import { must } from "../../support/harness.ts";
import { hasHelper, helperFolder } from "../../support/helper-path.ts";
import { draw, makeAttempt } from "../../support/likeness/made-set.ts";
import { repositoryRoot } from "../../support/repository.ts";

const attempt = makeAttempt(3);
const before = await new Bun.Image(draw(attempt)).png().bytes();

const fileOf = (bytes: Uint8Array, mime: string) => ({
  file: { size: bytes.length, read: (start: number, length: number) => bytes.slice(start, start + length) },
  mime,
  name: "page",
});
const match = async (after: Uint8Array, mime = "image/png", marks: Target[] = []) =>
  must(await openMatcher(fileOf(after, mime))(fileOf(before, "image/png"), marks));

/** Every pixel in another color. */
const recolored = (change: (pixel: number[], y: number) => number[]) => {
  const { width, height, pixels } = decodePng(before);
  const changed = Uint8Array.from(pixels);
  for (let at = 0; at < changed.length; at += 4)
    changed.set(change([...pixels.subarray(at, at + 3)], Math.floor(at / 4 / width)), at);
  return encodePng({ width, height, pixels: changed });
};

function framed(side: number, color: number, mark?: number): Uint8Array {
  const { width, height, pixels } = decodePng(before);
  const size = { width: width + 2 * side, height: height + 2 * side };
  const all = new Uint8Array(size.width * size.height * 4).fill(255);
  for (let at = 0; at < all.length; at += 4) all.fill(color, at, at + 3);
  for (let y = 0; y < height; y++)
    all.set(pixels.subarray(y * width * 4, (y + 1) * width * 4), ((y + side) * size.width + side) * 4);
  if (mark !== undefined)
    for (let y = 4; y < 12; y++)
      for (let x = 20; x < 200; x += 3)
        all.fill(mark, (y * size.width + x) * 4, (y * size.width + x) * 4 + 3);
  return encodePng({ ...size, pixels: all });
}

test("a plain border makes it no other image, and one with a line of text does", async () => {
  expect((await match(framed(16, 255))).isSame).toBe(true);
  const jpeg = await new Bun.Image(framed(18, 0)).jpeg({ quality: 85 }).bytes();
  expect((await match(jpeg, "image/jpeg")).isSame).toBe(true);
  expect((await match(framed(16, 255, 40))).isSame).toBe(false);
});

test("thin gray text in another color is a change, in its line alone", async () => {
  const { height, parts } = attempt;
  const text = must(parts.find(({ name }) => name.startsWith("text")));
  const [top] = text.boxes.map(([, y]) => y);
  const isLine = (y: number) => y >= must(top) - 2 && y < must(top) + 14;
  const red = recolored(([r = 0, g = 0, b = 0], y) =>
    isLine(y) && r < 200 ? [Math.min(255, r + 110), g, b] : [r, g, b],
  );
  const jpeg = await new Bun.Image(red).jpeg({ quality: 75 }).bytes();
  const line = (y: number): Target => ({
    shape: "rect",
    ...{ x: 0, w: 10_000, y: Math.round((y / height) * 10_000), h: Math.round((14 / height) * 10_000) },
  });
  const found = await match(jpeg, "image/jpeg", [line(must(top)), line(must(top) + 78)]);
  expect(found).toEqual({ isSame: false, places: ["changed", "unchanged"] });
});

test("what JPEG takes of the blue of a link is no change", async () => {
  const link = (blue: number) => {
    const pixels = new Uint8Array(640 * 400 * 4).fill(255);
    for (let y = 128; y < 192; y++)
      for (let x = 128; x < 192; x++) if (x % 4 < 2) pixels.set([32, 9, blue], (y * 640 + x) * 4);
    return fileOf(encodePng({ width: 640, height: 400, pixels }), "image/png");
  };
  const isSame = async (blue: number) => (await openMatcher(link(blue))(link(224), []))?.isSame;
  expect([await isSame(209), await isSame(180)]).toEqual([true, false]);
});

test("a little more brightness, or none of its colors, is a change", async () => {
  expect((await match(recolored((pixel) => pixel.map((value) => value * 0.93)))).isSame).toBe(false);
  const gray = recolored(([r = 0, g = 0, b = 0]) => Array(3).fill(r * 0.3 + g * 0.59 + b * 0.11));
  expect((await match(gray)).isSame).toBe(false);
});

test.skipIf(!hasHelper("ffmpeg"))("an image that ffmpeg decodes is compared as a still, turned", async () => {
  const probe = open({ path: await helperFolder("ffmpeg") });
  const bytes = await Bun.file(join(repositoryRoot, "test/support/clips/turned.avif")).bytes();
  const source = bytesSource(bytes);
  const found = await probe.inspect(source);
  const webp = must(await probe.annotatedImage(source, found, { t_ms: null, page: null }, []));
  const turned = await new Bun.Image(webp).rotate(180).webp({ quality: 90 }).bytes();
  const older = { source, mime: found.mime, found, targets: [] };
  const isSame = async (after: Uint8Array) =>
    (await probe.match({ source: bytesSource(after), mime: "image/webp" }, [older]))[0]?.isSame;
  expect(await isSame(webp)).toBe(true);
  expect(await isSame(turned)).toBe(false);
});
