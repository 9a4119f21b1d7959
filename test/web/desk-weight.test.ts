/** What the desk loads beside the file, for each kind of file: a table or a text is part of the page. */
import { describe, expect, test } from "bun:test";
import { zipSync } from "fflate";
import { mediaObjects } from "../../db/demo/media.ts";
import { noisyPng, pdf, svg, wav, webm } from "../support/assets/media.ts";
import { glb, triangle } from "../support/assets/models.ts";
import { browserPath } from "../support/browser/browser.ts";
import { useReviewDesk } from "../support/browser/review-desk.ts";
import { must } from "../support/harness.ts";

const desk = useReviewDesk();
const text = (value: string): Uint8Array => new TextEncoder().encode(value);
/** Values that compress badly. */
const word = (at: number): string => ((at * 2_654_435_761) % 2 ** 32).toString(36);
const csv = [
  Array.from({ length: 60 }, (_, at) => `column ${at}`).join(),
  ...Array.from({ length: 600 }, (_, row) =>
    Array.from({ length: 60 }, (_, at) => word(row * 60 + at)).join(),
  ),
].join("\n");
const font = Bun.file(
  new URL("standard_fonts/LiberationSans-Bold.ttf", import.meta.resolve("pdfjs-dist/package.json")),
);
const parquet = () => {
  const [file] = mediaObjects([{ id: "1", key: "silt/1/day.parquet", project: "silt", version: 1 }]).values();
  return must(file).bytes();
};

const files: Record<string, () => Uint8Array | Promise<Uint8Array>> = {
  "picture.png": () => noisyPng(400, 300),
  "drawing.svg": () => text(svg),
  "clip.webm": () => webm(),
  "bell.wav": () => wav(3),
  "paper.pdf": () => pdf(),
  "page.html": () => text("<!doctype html><h1>All tests pass</h1>"),
  "boat.glb": () => glb(triangle),
  "depths.csv": () => text(csv),
  "depths.parquet": parquet,
  "notes.md": () => text("# Notes\n\n- one\n- two\n".repeat(200)),
  "queue.ts": () => text("const berths = [1, 2, 3].map((berth) => berth * 2); // free\n".repeat(1_500)),
  "long.ts": () => text(Array.from({ length: 8_000 }, (_, at) => `const ${word(at)} = ${at};`).join("\n")),
  "long.json": () => text(JSON.stringify(Array.from({ length: 9_000 }, (_, at) => ({ [word(at)]: at })))),
  "long.md": () =>
    text(
      Array.from({ length: 9_000 }, (_, at) => `${word(at)} ${word(at + 1)}${at % 9 ? "" : "\n"}`).join("\n"),
    ),
  "letters.ttf": () => font.bytes(),
  "sources.zip": () => zipSync({ "a.txt": text("hello") }),
  "firmware.bin": () => new Uint8Array([0, 1, 2, 250, 0, 9]),
};

/** In 1,000 bytes, with the page. */
const weightMax = 100;
/** It comes with a page only where a PDF has no thumbnail, as without pdftoppm: then it is the file's viewer. */
const isPdfReader = /\/pdf\.(worker\.)?min\.mjs$/;
/** Scripts and styles. */
const filesMax = 12;

describe.skipIf(!browserPath)(
  "the desk loads at most 12 scripts and styles, and 100 KB beside the file,",
  () => {
    for (const [name, make] of Object.entries(files))
      test(`of ${name}, alone and beside another version`, async () => {
        const bytes = await make();
        const { upload } = desk.testServer;
        const { id } = await upload(name, bytes);
        const next = await upload(name, bytes, { replaces: id });
        await using visitor = await desk.enter();
        const { page } = visitor;
        for (const path of [`/assets/${id}`, `/assets/${next.id}?mode=side`]) {
          await page.goto(path, { waitUntil: "networkidle" });
          const loaded = (await page.evaluate(() =>
            [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")].map(
              (entry) => [entry.name, (entry as PerformanceResourceTiming).encodedBodySize],
            ),
          )) as [string, number][];
          const own = loaded.filter(([url]) => url.startsWith(`${desk.testServer.server.origin}/`));
          const beside = own.filter(
            ([url]) => !/\/api\/assets\/|\/picture$/.test(url) && !isPdfReader.test(url),
          );
          const weight = beside.reduce((sum, [, size]) => sum + size, 0) / 1_000;
          const code = beside.filter(([url]) => /\.(m?js|css)$/.test(url)).length;
          expect([path, code, weight > 20 && weight <= weightMax]).toEqual([
            path,
            Math.min(code, filesMax),
            true,
          ]);
        }
      });
  },
);
