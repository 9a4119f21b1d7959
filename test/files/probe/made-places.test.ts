/** A made set: marked places of every kind of file, changed and unchanged, are told apart. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { encodePng } from "../../../src/files/probe/images/raster.ts";
import { kindOf } from "../../../src/files/probe/kind.ts";
import type { Target } from "../../../src/files/probe/marks/schema.ts";
import { bytesSource } from "../../../src/files/probe/source.ts";
import { reached, times } from "../../faults/promises.ts";
import { open } from "../../support/assets/test-probe.ts";

const count = times("madePlaces");
const probe = open({ path: process.env.PATH });
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "svc-places-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Six boxes in two rows; the one that is corrected has another color and place. */
const side = { width: 640, height: 400 };
const boxOf = (at: number) => ({ x: 40 + (at % 3) * 200, y: 40 + Math.floor(at / 3) * 190, w: 120, h: 100 });
const colorOf = (seed: number, at: number) => [
  40 + ((seed * 37 + at * 53) % 180),
  (seed * 91 + at * 29) % 200,
  90,
];
const markOf = (at: number, fields: Partial<Target> = {}): Target => {
  const { x, y, w, h } = boxOf(at);
  const share = (value: number, length: number) => Math.round((value / length) * 10_000);
  const shape = { shape: "rect" as const, x: share(x, side.width), y: share(y, side.height) };
  return { ...shape, w: share(w, side.width), h: share(h, side.height), ...fields };
};
interface Drawn {
  box: { x: number; y: number; w: number; h: number };
  color: number[];
}
/** @param changed the box that was corrected */
const drawnBy = (seed: number, changed: number | null): Drawn[] =>
  Array.from({ length: 6 }, (_, at) => {
    const { x, y, w, h } = boxOf(at);
    const color = colorOf(seed, at);
    return at === changed
      ? { box: { x: x + 20, y: y + 16, w: w - 40, h: h - 32 }, color: color.map((part) => 255 - part) }
      : { box: { x, y, w, h }, color };
  });

function image(boxes: Drawn[]): Uint8Array {
  const pixels = Buffer.alloc(side.width * side.height * 4, 255);
  for (const { box, color } of boxes)
    for (let y = box.y; y < box.y + box.h; y++)
      for (let x = box.x; x < box.x + box.w; x++) pixels.set([...color, 255], (y * side.width + x) * 4);
  return encodePng({ ...side, pixels });
}
function document(pages: Drawn[][]): Uint8Array {
  const objects: string[] = ["<</Type/Catalog/Pages 2 0 R>>", ""];
  const kids = pages.map((boxes) => {
    const drawn = boxes
      .map(
        ({ box: { x, y, w, h }, color }) =>
          `${color.map((part) => (part / 255).toFixed(3)).join(" ")} rg ${x} ${side.height - y - h} ${w} ${h} re f`,
      )
      .join("\n");
    objects.push(`<</Length ${drawn.length}>>stream\n${drawn}\nendstream`);
    const media = `/MediaBox[0 0 ${side.width} ${side.height}]/Contents ${objects.length} 0 R/Resources<<>>`;
    objects.push(`<</Type/Page/Parent 2 0 R${media}>>`);
    return `${objects.length} 0 R`;
  });
  objects[1] = `<</Type/Pages/Kids[${kids.join(" ")}]/Count ${kids.length}>>`;
  const body = objects.map((object, at) => `${at + 1} 0 obj${object}endobj\n`).join("");
  return Buffer.from(`%PDF-1.4\n${body}trailer<</Root 1 0 R/Size ${objects.length + 1}>>\n%%EOF\n`);
}
function video(frames: Drawn[][]): Uint8Array {
  for (const [at, boxes] of frames.entries()) writeFileSync(join(folder, `${at}.png`), image(boxes));
  const path = join(folder, "made.mp4");
  const made = Bun.spawnSync(
    ["ffmpeg", "-y", "-loglevel", "error", "-framerate", "1", "-i", `${folder}/%d.png`, "-r", "10"].concat([
      "-pix_fmt",
      "yuv420p",
      path,
    ]),
  );
  if (!made.success) throw new Error(made.stderr.toString());
  return readFileSync(path);
}
/** Six tones of a second each. The corrected one has another pitch, and the file another bit rate. */
function sound(seed: number, changed: number | null): Uint8Array {
  const pitch = (at: number) => 200 + ((seed * 37 + at * 53) % 300) * (at === changed ? 2.3 : 1);
  const tones = Array.from({ length: 6 }, (_, at) => `${pitch(at)}*eq(floor(t)\\,${at})`).join("+");
  const source = `aevalsrc=0.3*sin(2*PI*t*(${tones})):d=6:s=22050`;
  const path = join(folder, "made.mp3");
  const rate = changed === null ? "128k" : "64k";
  const made = Bun.spawnSync(
    ["ffmpeg", "-y", "-loglevel", "error", "-f", "lavfi", "-i", source].concat(["-b:a", rate, path]),
  );
  if (!made.success) throw new Error(made.stderr.toString());
  return readFileSync(path);
}
const words = ["Berth", "Pier", "Quay", "Dock", "Mole", "Jetty"];
const sentence = (seed: number, at: number, isChanged: boolean) =>
  `${words[at]} ${seed + at} is drawn ${isChanged ? "in full" : "as an outline"}, north of ${words[(at + 1) % 6]}.`;
const text = (seed: number, changed: number | null) =>
  words.map((_, at) => sentence(seed, at, at === changed)).join("\n\n");
const page = (seed: number, changed: number | null) =>
  `<!doctype html><title>Map</title><style>body{margin:0}section{position:absolute}</style>${drawnBy(
    seed,
    changed,
  )
    .map(
      ({ box: { x, y, w, h }, color }, at) =>
        `<section id="part${at}" style="left:${x}px;top:${y}px;width:${w}px;height:${h}px;background:rgb(${color.join()})">` +
        `<p>${sentence(seed, at, at === changed)}</p></section>`,
    )
    .join("\n")}`;

interface Kind {
  mime: string;
  make(seed: number, changed: number | null): Uint8Array;
  mark(seed: number, at: number): Target;
  /** A program that shows it; without it nothing is known. */
  program?: string;
}
const viewport = { w: side.width, h: side.height };
const kinds: Record<string, Kind> = {
  image: { mime: "image/png", make: (seed, at) => image(drawnBy(seed, at)), mark: (_, at) => markOf(at) },
  quote: {
    mime: "text/plain",
    make: (seed, at) => Buffer.from(text(seed, at)),
    mark: (seed, at) => ({ quote: { exact: sentence(seed, at, false) } }),
  },
  lines: {
    mime: "text/plain",
    make: (seed, at) => Buffer.from(text(seed, at)),
    mark: (_, at) => ({ lines: { from: at * 2 + 1, to: at * 2 + 1 } }),
  },
  element: {
    mime: "text/html",
    make: (seed, at) => Buffer.from(page(seed, at)),
    mark: (_, at) => ({ css: `#part${at}` }),
  },
  "quote in a page": {
    mime: "text/html",
    make: (seed, at) => Buffer.from(page(seed, at)),
    mark: (seed, at) => ({ quote: { exact: sentence(seed, at, false) } }),
  },
  region: {
    mime: "text/html",
    make: (seed, at) => Buffer.from(page(seed, at)),
    mark: (_, at) => markOf(at, { viewport }),
    program: "chromium",
  },
  "document page": {
    mime: "application/pdf",
    make: (seed, at) => document([drawnBy(seed + 1, null), drawnBy(seed, at)]),
    mark: (_, at) => markOf(at, { page: 2 }),
    program: "pdftoppm",
  },
  frame: {
    mime: "video/mp4",
    make: (seed, at) => video([drawnBy(seed + 1, null), drawnBy(seed, at), drawnBy(seed + 2, null)]),
    mark: (_, at) => markOf(at, { t_ms: 1_500 }),
    program: "ffmpeg",
  },
  "range of a sound": {
    mime: "audio/mpeg",
    make: sound,
    mark: (_, at) => ({ t_ms: at * 1_000 + 100, t_end_ms: at * 1_000 + 900 }),
    program: "ffmpeg",
  },
};

for (const [name, { mime, make, mark, program }] of Object.entries(kinds))
  test.skipIf(program !== undefined && !Bun.which(program))(
    `${count} corrected ${name} places are changed, and as many others are not`,
    async () => {
      let right = 0;
      for (let seed = 1; seed <= count; seed++) {
        const [corrected, other] = [seed % 6, (seed + 2 + (seed % 3)) % 6];
        const [before, after] = [make(seed, null), make(seed, corrected)];
        const fileOf = async (bytes: Uint8Array) => {
          const source = bytesSource(bytes);
          return { source, mime, found: { ...(await probe.inspect(source)), kind: kindOf(mime) } };
        };
        const targets = [mark(seed, corrected), mark(seed, other)];
        const [found] = await probe.match(await fileOf(after), [{ ...(await fileOf(before)), targets }]);
        right += Number(found?.places[0] === "changed") + Number(found?.places[1] === "unchanged");
      }
      reached("madePlaces", count);
      expect(right / (2 * count)).toBeGreaterThanOrEqual(0.98);
    },
    900_000,
  );
