/** Uploads of opaque images have JPEG thumbnails. Where something shows through, a WebP keeps it. */

import { describe, expect, test } from "bun:test";
import { deflateSync } from "node:zlib";
import { encodePng } from "../../../src/files/probe/images/raster.ts";
import type { UploadFormat } from "../../../src/files/probe/port.ts";
import { bytesSource } from "../../../src/files/probe/source.ts";
import * as made from "../../support/assets/media.ts";
import { expectThumbnail, type Made, probe } from "../../support/assets/test-probe.ts";
import { useTemporaryFolder } from "../../support/use-temporary-folder.ts";

useTemporaryFolder();

/** RGBA, gray, but for these pixels at the left of the top row. */
function withAlpha(width: number, height: number, count: number, alpha: number): Uint8Array {
  const pixels = new Uint8Array(width * height * 4).fill(128);
  for (let at = 3; at < pixels.length; at += 4) pixels[at] = at / 4 < count ? alpha : 255;
  return encodePng({ width, height, pixels });
}

/** Of one byte for each pixel or channel. */
function pngOf(type: number, samples: number[], chunks: Uint8Array[] = [], bits = 8): Uint8Array {
  const rows = Buffer.concat(Array(20).fill(Buffer.from([0, ...Array(20).fill(samples).flat()])));
  const header = made.bytes(made.be32(20), made.be32(20), [bits, type, 0, 0, 0]);
  return made.bytes(
    ...[made.pngSignature, made.pngChunk("IHDR", header), ...chunks],
    ...[made.pngChunk("IDAT", deflateSync(rows)), made.pngChunk("IEND")],
  );
}

const palette = made.pngChunk("PLTE", Uint8Array.of(255, 0, 0, 0, 0, 255));
const alphaOfPalette = made.pngChunk("tRNS", Uint8Array.of(0));
const redIsTransparent = made.pngChunk("tRNS", Uint8Array.of(0, 255, 0, 0, 0, 0));

const images: [name: string, bytes: () => Made, size: [number, number], UploadFormat][] = [
  ["a PNG without alpha", () => made.png(60, 40), [60, 40], "jpeg"],
  ["a JPEG", () => made.jpeg(60, 40), [60, 40], "jpeg"],
  ["a GIF", () => made.gif(60, 40), [60, 40], "jpeg"],
  ["a gray PNG", () => pngOf(0, [99]), [20, 20], "jpeg"],
  ["a PNG of 16 bits", () => pngOf(2, [9, 0, 99, 0, 200, 0], [], 16), [20, 20], "jpeg"],
  ["a PNG with a palette", () => pngOf(3, [0], [palette]), [20, 20], "jpeg"],
  ["an RGBA screenshot, which is opaque", () => withAlpha(1280, 900, 0, 0), [512, 360], "jpeg"],
  ["a small RGBA image, which is opaque", () => withAlpha(1, 1, 0, 0), [1, 1], "jpeg"],
  ["an opaque WebP", () => made.webp(60, 40), [60, 40], "jpeg"],
  ["one transparent pixel of a thumbnail", () => withAlpha(512, 400, 1, 0), [512, 400], "webp"],
  ["a few pixels that are half transparent", () => withAlpha(512, 400, 2, 128), [512, 400], "webp"],
  ["an image that is nearly opaque", () => withAlpha(60, 40, 2400, 250), [60, 40], "webp"],
  ["a transparent color", () => made.png(60, 40, { chunks: [redIsTransparent] }), [60, 40], "webp"],
  ["a palette with alpha", () => pngOf(3, [0], [palette, alphaOfPalette]), [20, 20], "webp"],
  ["gray with alpha", () => pngOf(4, [99, 9]), [20, 20], "webp"],
  [
    "a moving WebP whose first frame leaves something free",
    () => made.partWebp({ width: 60, height: 40 }, { x: 4, y: 4 }, 20),
    [60, 40],
    "webp",
  ],
];

describe("the thumbnail of", () => {
  for (const [name, bytes, size, format] of images)
    test(`${name} is a ${format}`, async () => {
      const source = bytesSource(made.bytes((await bytes()) as Uint8Array));
      await expectThumbnail((await probe.inspectWithThumbnail(source)).thumbnail, size, format);
    });

  test("an upload is of the format that was requested, if any", async () => {
    const source = bytesSource(made.png(60, 40));
    const found = await probe.inspect(source);
    for (const format of ["jpeg", "webp", "png"] as const) {
      const bytes = await probe.thumbnail(source, found, format);
      expect((await new Bun.Image(bytes ?? new Uint8Array()).metadata()).format).toBe(format);
    }
  });
});
