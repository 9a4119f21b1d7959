/** Images with annotations drawn on them. */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { decodePng, encodePng, type Raster } from "../../../src/files/probe/images/raster.ts";
import { drawMarks } from "../../../src/files/probe/marks/draw-marks.ts";
import type { Mark, Moment } from "../../../src/files/probe/port.ts";
import { bytesSource } from "../../../src/files/probe/source.ts";
import * as made from "../../support/assets/media.ts";
import { type Made, open, probe, turned } from "../../support/assets/test-probe.ts";
import { must } from "../../support/harness.ts";
import { hasHelper, helperFolder } from "../../support/helper-path.ts";
import { useTemporaryFolder } from "../../support/use-temporary-folder.ts";

useTemporaryFolder();

const still: Moment = { t_ms: null, page: null };
const point = (n: number, x: number, y: number): Mark => ({ n, weight: "must", shape: "point", x, y });

async function draw(bytes: Made, marks: Mark[], moment = still, by = probe): Promise<Uint8Array | null> {
  const source = bytesSource(made.bytes((await bytes) as Uint8Array));
  return by.annotatedImage(source, await by.inspect(source), moment, marks);
}

const rasterOf = async (image: Uint8Array): Promise<Raster> =>
  decodePng(await new Bun.Image(image).png().bytes());

function colorAt({ width, height, pixels }: Raster, x: number, y: number): number[] {
  const at = (Math.floor((y / 10_000) * height) * width + Math.floor((x / 10_000) * width)) * 4;
  return [...pixels.subarray(at, at + 3)];
}

/** By more than a lossy format can. */
const isFar = (a: number[], b: number[]) =>
  a.some((value, channel) => Math.abs(value - (b[channel] as number)) > 60);

const blank = (width: number, height: number): Raster => ({
  ...{ width, height },
  pixels: new Uint8Array(width * height * 4).fill(255),
});

describe("an annotated image", () => {
  test("has a pin where the annotation is, of the image as it is shown", async () => {
    for (const [name, bytes, size] of [
      ["large", made.png(2000, 1000), [1024, 512]],
      ["small, which is enlarged", made.png(60, 40), [640, 427]],
      ["turned by its Exif orientation", turned(), [427, 640]],
      ["a GIF", made.gif(64, 64, 2), [640, 640]],
    ] as const) {
      const image = must(await draw(bytes, [point(1, 2500, 7500)]));
      const { format } = await new Bun.Image(image).metadata();
      const raster = await rasterOf(image);
      expect([name, format, raster.width, raster.height]).toEqual([name, "webp", ...size] as never);
      const elsewhere = colorAt(raster, 7500, 2500);
      expect([name, isFar(colorAt(raster, 2500, 7500), elsewhere)]).toEqual([name, true]);
    }
  });

  test("of a video or a PDF is null without helper programs", async () => {
    expect(await draw(made.mp4(), [point(1, 5000, 5000)])).toBeNull();
    expect(await draw(made.pdf(), [point(1, 5000, 5000)])).toBeNull();
  });

  test.skipIf(!hasHelper("ffmpeg"))("is of the frame that is meant, by the machine's ffmpeg", async () => {
    const machine = open({ path: await helperFolder("ffmpeg") });
    const [late, first, other] = await Promise.all(
      [900_000, 0, 10].map((t_ms) => draw(made.mp4(), [point(1, 5000, 5000)], { t_ms, page: null }, machine)),
    );
    expect([late, first, other].map((image) => must(image).length > 0)).toEqual([true, true, true]);
  });

  test.skipIf(!hasHelper("pdftoppm"))("is of the page that is meant, by the machine's pdftoppm", async () => {
    const machine = open({ path: await helperFolder("pdftoppm") });
    const page = must(await draw(made.pdf(), [point(2, 100, 9900)], { t_ms: null, page: 1 }, machine));
    const { width, height } = await new Bun.Image(page).metadata();
    expect(Math.max(width, height)).toBe(1024);
  });

  test("is null for files that are no image, and for damaged ones", async () => {
    for (const bytes of [made.bytes("text"), made.wav(1), made.png(9, 9).slice(0, 40), made.bytes(made.svg)])
      expect(await draw(bytes, [point(1, 1, 1)])).toBeNull();
  });
});

describe("marks on a raster", () => {
  test("leave all pixels alone that are not theirs, wherever they are", () => {
    const coordinate = fc.integer({ min: 0, max: 10_000 });
    const mark = fc.record({ n: fc.integer({ min: 1, max: 99_999 }), x: coordinate, y: coordinate });
    fc.assert(
      fc.property(fc.array(mark, { maxLength: 8 }), fc.integer({ min: 1, max: 90 }), (marks, width) => {
        const raster = blank(width, 64);
        drawMarks(
          raster,
          marks.map(({ n, x, y }) => point(n, x, y)),
        );
        expect(raster.pixels.length).toBe(width * 64 * 4);
        expect(raster.pixels.every((value, at) => at % 4 < 3 || value === 255)).toBe(true);
      }),
      { numRuns: 60 },
    );
  });

  test("have labels that do not cover each other while there is room", () => {
    const together = [1, 2, 3, 4].map((n) => point(n, 5000, 5000));
    const [alone, all] = [blank(400, 400), blank(400, 400)];
    drawMarks(alone, together.slice(0, 1));
    drawMarks(all, together);
    const red = ({ pixels }: Raster) => pixels.filter((value, at) => at % 4 === 1 && value === 39).length;
    expect(red(all)).toBeGreaterThan(3 * red(alone));
  });

  test("have a label above their pin with the number, whose digits are a dot apart", () => {
    const raster = blank(400, 400);
    drawMarks(raster, [point(10, 5000, 5000)]);
    const [left, top, dot] = [212, 167, 3];
    const isWhite = (column: number, row: number) =>
      raster.pixels[((top + row * dot) * raster.width + left + column * dot) * 4] === 255;
    const rows = Array.from({ length: 7 }, (_, row) =>
      Array.from({ length: 11 }, (_, column) => (isWhite(column, row) ? "#" : ".")).join(""),
    );
    expect(rows).toEqual([
      "..#....###.",
      ".##...#...#",
      "..#...#..##",
      "..#...#.#.#",
      "..#...##..#",
      "..#...#...#",
      ".###...###.",
    ]);
  });

  test("has room for as many large scribbles as are drawn", async () => {
    const corners = [
      [0, 0],
      [10_000, 10_000],
      [0, 10_000],
      [10_000, 0],
    ] as [number, number][];
    const points = Array.from({ length: 64 }, (_, at) => must(corners[at % corners.length]));
    const marks = Array.from({ length: 20 }, (_, at): Mark => {
      return { n: at + 1, weight: "nit", shape: "path", points };
    });
    expect(await draw(made.png(60, 40), marks)).not.toBeNull();
  });

  test("a PNG of pixels has the same pixels, also as Bun writes it", async () => {
    const pixel = fc.uint8Array({ minLength: 7 * 5 * 4, maxLength: 7 * 5 * 4 });
    await fc.assert(
      fc.asyncProperty(pixel, async (pixels) => {
        const opaque = pixels.map((value, at) => (at % 4 === 3 ? 255 : value));
        const png = encodePng({ width: 7, height: 5, pixels: opaque });
        expect(decodePng(png).pixels).toEqual(opaque);
        const again = await new Bun.Image(png).resize(7, 5).png().bytes();
        expect(decodePng(again).pixels).toEqual(opaque);
      }),
      { numRuns: 40 },
    );
  });
});
