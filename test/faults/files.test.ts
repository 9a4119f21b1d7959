/**
 * Hostile files on their whole way, into every database and every kind of store: what becomes of each is
 * known exactly.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { dayMicros } from "../../src/core/lib/time.ts";
import { cleanUpAssets } from "../../src/library/assets/cleanup/retention.ts";
import type { Asset } from "../../src/library/assets/schema.ts";
import {
  blackPng,
  boxSize,
  changed,
  manyScans,
  profileBomb,
  scriptedJpeg,
  textBomb,
  utf16,
} from "../support/assets/hostile-files.ts";
import * as made from "../support/assets/media.ts";
import { must, scaled } from "../support/harness.ts";
import { combinations, file, type Library, openLibrary } from "../support/library.ts";

type Bytes = Uint8Array | string;
/** Type, kind, width, height, duration; whether there is a picture of it. */
type Seen = [
  mime: string,
  kind: Asset["kind"],
  width?: number | null,
  height?: number | null,
  duration_ms?: number | null,
];
type Kept = [name: string, what: string, bytes: () => Bytes | Promise<Bytes>, seen: Seen, hasThumb?: boolean];

const script = "<script>fetch('/api/v1/feed')</script>";
const drawing = (inside: string) =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9">${inside}</svg>`;
const entities =
  '<!DOCTYPE svg [<!ENTITY a "&b;&b;"><!ENTITY b "&a;&a;"><!ENTITY c SYSTEM "file:///etc/passwd">]>';
const png = made.png(60, 40);
const mp4 = made.mp4();

const remaining: Kept[] = [
  [
    "a.png",
    "an image that ends early (F40)",
    () => png.subarray(0, 80),
    ["image/png", "image", 60, 40],
    true,
  ],
  [
    "a.png",
    "an image with one wrong bit (F40)",
    () => changed(png, 50, made.bytes([0x55])),
    ["image/png", "file"],
  ],
  [
    "a.png",
    "an image of 0 by 0 (F40)",
    () => made.png(0, 0, { data: made.zlibZeros(1) }),
    ["image/png", "file"],
  ],
  ["a.jpg", "nothing that is called an image (F40)", () => "", ["application/octet-stream", "file"]],
  ["a.png", "an image of 900 megapixels (F41)", () => blackPng(30_000, 30_000), ["image/png", "file"]],
  [
    "a.png",
    "an image with 512 MB of colour profile (F41)",
    profileBomb,
    ["image/png", "image", 60, 40],
    true,
  ],
  ["a.png", "an image with 512 MB of text (F41)", textBomb, ["image/png", "image", 60, 40], true],
  ["a.jpg", "an image of 20000 scans (F41)", () => manyScans(20_000), ["image/jpeg", "file"]],
  [
    "a.gif",
    "an image of 20000 frames (F41)",
    () => made.gif(9, 5, 20_000),
    ["image/gif", "image", 9, 5],
    true,
  ],
  ["a.svg", "a drawing with a script (F42)", () => drawing(script), ["image/svg+xml", "image", 9, 9]],
  [
    "a.svg",
    "a drawing with entities (F42)",
    () => `<?xml version="1.0"?>${entities}${drawing("&a;&c;")}`,
    ["image/svg+xml", "image", 9, 9],
  ],
  [
    "a.svg",
    "a drawing from elsewhere (F42)",
    () => drawing('<image href="http://127.0.0.1:9/x"/>'),
    ["image/svg+xml", "image", 9, 9],
  ],
  ["a.png", "a page called an image (F43)", () => `<html>${script}`, ["text/html", "html"]],
  [
    "a.html",
    "an image with a page behind it (F43)",
    () => made.bytes(png, made.html),
    ["image/png", "image", 60, 40],
    true,
  ],
  [
    "a.jpg",
    "an image with a script in its comment (F43)",
    scriptedJpeg,
    ["image/jpeg", "image", 60, 40],
    true,
  ],
  ["a.txt", "a page in UTF-16 (F43)", () => utf16(`<html>${script}`), ["text/html", "html"]],
  [
    "a.html",
    "a page in UTF-7 (F43)",
    () => "+ADw-script+AD4-alert(1)+ADw-/script+AD4-",
    ["text/plain", "file"],
  ],
  [
    "a.mp4",
    "a list of files called a film (F44)",
    () => "#EXTM3U\n#EXTINF:10,\nfile:///etc/passwd\n",
    ["text/plain", "file"],
  ],
  ["a.mp4", "a film without sizes (F44)", () => boxSize(mp4, "moov", 0), ["video/mp4", "file"]],
  [
    "a.mp4",
    "a film without a time scale (F44)",
    () => made.mp4({ timescale: 0 }),
    ["video/mp4", "video", 64, 48],
  ],
  [
    "a.wav",
    "a sound that claims a gigabyte (F44)",
    () => made.wav(1, { dataSize: 1e9 }),
    ["audio/wav", "audio", null, null, 1000],
  ],
];

const index: made.ZipEntry = { name: "index.html", data: made.html };
const MiB = 2 ** 20;
const flat: made.ZipEntry = { name: "a.bin", packed: made.zeros(1024 * MiB), size: 1024 * MiB };
const refused: [what: string, bundle: () => Uint8Array, says: string][] = [
  ["a name that leads out (F45)", () => made.zip([index, { name: "../x.html" }]), "name"],
  ["a name from the root (F45)", () => made.zip([index, { name: "/etc/passwd" }]), "name"],
  [
    "a link (F45)",
    () => made.zip([index, { name: "a", data: "/etc/passwd", attributes: 0o120644 * 2 ** 16 }]),
    "neither a file nor a folder",
  ],
  ["a name twice (F45)", () => made.zip([index, { name: "a" }, { name: "a" }]), "duplicate filename"],
  [
    "names that differ by case (F45)",
    () => made.zip([index, { name: "a" }, { name: "A" }]),
    "contains a name twice",
  ],
  ["a gigabyte (F46)", () => made.zip([index, flat]), "unpacks to more than"],
  [
    "a gigabyte that claims 100 bytes (F46)",
    () => made.zip([index, { ...flat, size: 100 }]),
    "Invalid uncompressed size",
  ],
  [
    "the same data twice (F46)",
    () => made.zip([index, { name: "b", localName: "index.html", offset: 0 }]),
    "mismatched local file header",
  ],
  [
    "65000 files (F46)",
    () => made.zip([index, ...Array.from({ length: 65_000 }, (_, one) => ({ name: `${one}` }))]),
    "more than",
  ],
];

describe.each(combinations)("into $dialect and $place", ({ dialect, place }) => {
  const turn = combinations.findIndex((one) => one.dialect === dialect && one.place === place);
  /**
   * The suite sends each file to one of them, since what looks at files knows neither; the proof sends all to
   * all.
   */
  const own = <T>(all: T[]): T[] =>
    scaled(
      all.filter((_, at) => at % combinations.length === turn),
      all,
    );

  let library: Library;
  beforeAll(async () => {
    library = await openLibrary(dialect, place);
  });
  afterAll(() => library.close());

  const sent = async (name: string, bytes: Uint8Array<ArrayBuffer>, isReserved: boolean) => {
    if (!isReserved) return library.upload({ project: "atlas" }, file(name, bytes));
    const reserved = (await library.presign({ filename: name })).body;
    expect((await library.put(reserved, bytes)).status).toBe(200);
    return library.finalize(reserved);
  };

  for (const [name, what, make, seen, hasThumb = false] of own(remaining))
    test(`${what} goes as what it is, and comes back unchanged and tied`, async () => {
      const bytes = made.bytes(await make());
      const [mime, kind, width = null, height = null, duration_ms = null] = seen;
      for (const isReserved of scaled([dialect === "sqlite"], [false, true])) {
        const { status, body } = await sent(name, bytes, isReserved);
        expect<unknown>([status, body]).toMatchObject([
          201,
          { mime, kind, width, height, duration_ms, size: bytes.length },
        ]);
        expect([body.thumb_url !== null, body.bundle_url !== null]).toEqual([hasThumb, kind === "html"]);
        const response = await library.fetch(body.url);
        expect(Buffer.from(await response.arrayBuffer()).equals(bytes)).toBe(true);
        const type = must(response.headers.get("content-type"));
        expect([type.split(";")[0], response.headers.get("x-content-type-options")]).toEqual([
          mime,
          "nosniff",
        ]);
        expect(response.headers.get("content-security-policy")).toMatch(/^sandbox; default-src 'none';/);
        const isShown = /^(image|video|audio)\/|^text\/plain$/.test(mime);
        expect(response.headers.get("content-disposition")).toStartWith(isShown ? "inline;" : "attachment;");
        if (hasThumb)
          expect((await (await library.fetch(body.thumb_url)).arrayBuffer()).byteLength).toBeLessThanOrEqual(
            200_000,
          );
      }
    });

  for (const [what, make, says] of own(refused))
    test(`a bundle with ${what} is a 400, and nothing of it stays`, async () => {
      const bytes = made.bytes(make());
      const events = (await library.events()).length;
      for (const isReserved of scaled([dialect === "sqlite"], [false, true])) {
        const { status, body } = await sent("site.zip", bytes, isReserved);
        expect<unknown>([status, body]).toMatchObject([400, { detail: expect.stringContaining(says) }]);
      }
      expect((await library.events()).length).toBe(events);
      // What was uploaded to a reservation stays until its time is over: it may be finalized another way.
      library.clock.advance(2 * dayMicros);
      await cleanUpAssets(library.ctx);
      const ids = (await library.ctx.data.assets(null, { limit: 100 })).map(({ id }) => id);
      expect((await library.keys()).filter((key) => !ids.some((id) => key.includes(`/${id}/`)))).toEqual([]);
    });
});
