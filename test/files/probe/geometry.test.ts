/**
 * What a reviewer sees is what svc draws: a place in the rendering of a browser, or of pdf.js, is the same
 * place in our thumbnail and annotated image, for each kind of file, rotation and crop.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { deflateSync } from "node:zlib";
import fc from "fast-check";
import { decodePng, type Raster } from "../../../src/files/probe/images/raster.ts";
import { orientationOnly } from "../../../src/files/probe/provenance/exif.ts";
import { bytesSource } from "../../../src/files/probe/source.ts";
import * as made from "../../support/assets/media.ts";
import { open } from "../../support/assets/test-probe.ts";
import { browserPath } from "../../support/browser/browser.ts";
import {
  type Draw,
  drawImage,
  drawPage,
  drawVideo,
  openViewer,
  type Viewer,
} from "../../support/browser/file-viewer.ts";
import { must } from "../../support/harness.ts";
import { hasHelper, helperFolder } from "../../support/helper-path.ts";
import { repositoryRoot } from "../../support/repository.ts";
import { useTemporaryFolder } from "../../support/use-temporary-folder.ts";

useTemporaryFolder();

/** What is drawn is tested here, not how fast: a busy machine starts programs late. */
const limits = { childMs: 60_000, sourceMs: 60_000 };
const probe = open({ limits });
const withHelper = async (name: "ffmpeg" | "pdftoppm") => open({ limits, path: await helperFolder(name) });

/** Where the red spot of a picture is, in shares of its size. */
interface Spot {
  width: number;
  height: number;
  x: number;
  y: number;
}

/** The middle of the pixels that are red and opaque. */
function spotIn({ width, height, pixels }: Raster): Spot {
  let [count, left, top] = [0, 0, 0];
  for (let at = 0; at < pixels.length; at += 4) {
    const [red = 0, green = 0, blue = 0, alpha = 0] = pixels.subarray(at, at + 4);
    if (alpha < 128 || red < 150 || green > 100 || blue > 100) continue;
    count++;
    left += (at / 4) % width;
    top += Math.floor(at / 4 / width);
  }
  return { width, height, x: (left / count + 0.5) / width, y: (top / count + 0.5) / height };
}

const rasterOf = async (image: Uint8Array): Promise<Raster> =>
  decodePng(await new Bun.Image(image).png().bytes());

/** Compares the place of the spot in the viewer with that in our thumbnail, and marks it. */
async function expectSamePlace(
  viewer: Viewer,
  name: string,
  bytes: Uint8Array,
  draw: Draw,
  by = probe,
): Promise<void> {
  const seen = spotIn(await rasterOf(await viewer.draw(name, bytes, draw)));
  const source = bytesSource(bytes);
  const { inspection, thumbnail } = await by.inspectWithThumbnail(source);
  if (draw !== drawPage)
    expect([name, inspection.width, inspection.height]).toEqual([name, seen.width, seen.height]);
  const drawn = spotIn(await rasterOf(must(thumbnail)));
  expect([name, drawn.width / drawn.height]).toEqual([name, expect.closeTo(seen.width / seen.height, 1)]);
  expect([name, drawn.x, drawn.y]).toEqual([name, expect.closeTo(seen.x, 1.3), expect.closeTo(seen.y, 1.3)]);
  const [x, y] = [Math.round(seen.x * 10_000), Math.round(seen.y * 10_000)];
  const mark = { n: 1, weight: "nit", shape: "point", x, y } as const;
  const image = must(await by.annotatedImage(source, inspection, { t_ms: 0, page: 1 }, [mark]));
  const { width, height, pixels } = await rasterOf(image);
  const at = (Math.floor(seen.y * height) * width + Math.floor(seen.x * width)) * 4;
  const [red = 255, , blue = 0] = pixels.subarray(at, at + 3);
  expect([name, blue > 120 && red < 100]).toEqual([name, true]); // the blue of a nit, on the red spot
}

const spotSide = 24;
const canvas = { width: 160, height: 100 };
const spots = fc.record({
  x: fc.integer({ min: 0, max: (canvas.width - spotSide) / 2 }).map((half) => half * 2),
  y: fc.integer({ min: 0, max: (canvas.height - spotSide) / 2 }).map((half) => half * 2),
});
type Corner = { x: number; y: number };

const picture = ({ x, y }: Corner) =>
  made.boxesPng(canvas.width, canvas.height, [[x, y, spotSide, spotSide]]);

/** Kinds of images: their file with a spot at a place of the stored pixels. */
const images: Record<string, (at: Corner, orientation: number) => Uint8Array | Promise<Uint8Array>> = {
  png: (at, orientation) => {
    const bytes = picture(at);
    const exif = made.pngChunk("eXIf", orientationOnly(orientation));
    return made.bytes(bytes.subarray(0, 33), exif, bytes.subarray(33));
  },
  jpg: async (at, orientation) =>
    made.withSegment(
      await new Bun.Image(picture(at)).jpeg({ quality: 95 }).bytes(),
      made.orientation(orientation),
    ),
  "part.gif": (at) => made.partGif(canvas, at, spotSide),
  "part.webp": (at) => made.partWebp(canvas, at, spotSide),
  "part.png": (at) => made.partPng(canvas, at, spotSide),
};

/** The spot in a page whose crop box is a part of it. */
function pageWith(at: Corner, rotate: number, isInherited: boolean): Uint8Array {
  const { width, height } = canvas;
  const boxes = `/MediaBox[-50 -20 500 400]/CropBox[30 40 ${30 + width} ${40 + height}]/Rotate ${rotate}`;
  const content =
    `1 1 1 rg -50 -20 550 420 re f 1 0 0 rg ${30 + at.x} ${40 + at.y} ${spotSide} ${spotSide} re f ` +
    "300 300 90 90 re f"; // outside of the crop box
  return made.bytes(
    "%PDF-1.7\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n",
    `2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1${isInherited ? boxes : ""}>>endobj\n`,
    `3 0 obj<</Type/Page/Parent 2 0 R/UserUnit 2/Contents 4 0 R/Resources<<>>${isInherited ? "" : boxes}>>endobj\n`,
    `4 0 obj<</Length ${content.length}>>stream\n${content}\nendstream endobj\n`,
    "trailer<</Root 1 0 R/Size 5>>\n%%EOF\n",
  );
}

describe.skipIf(!browserPath)("a place in a viewer is the same place in our images", () => {
  let viewer: Viewer;
  beforeAll(async () => {
    viewer = await openViewer();
  });
  afterAll(() => viewer.close());

  test("of an image, however it is turned, and of a first frame that is a part", async () => {
    const kind = fc.constantFrom(...Object.keys(images));
    const cases = fc.tuple(kind, spots, fc.integer({ min: 1, max: 8 }));
    const turned = Array.from({ length: 8 }, (_, index): [[string, Corner, number]] => [
      ["png", { x: 4, y: 60 }, index + 1],
    ]);
    await fc.assert(
      fc.asyncProperty(cases, async ([name, at, orientation]) => {
        const bytes = await must(images[name])(at, orientation);
        await expectSamePlace(viewer, `${orientation}.${name}`, bytes, drawImage);
      }),
      { numRuns: 12, examples: turned },
    );
  });

  test.skipIf(!hasHelper("pdftoppm"))("of a page, within its crop box, however it is turned", async () => {
    const machine = await withHelper("pdftoppm");
    const cases = fc.tuple(spots, fc.constantFrom(0, 90, 180, 270), fc.boolean());
    await fc.assert(
      fc.asyncProperty(cases, ([at, rotate, isInherited]) =>
        expectSamePlace(viewer, `${rotate}.pdf`, pageWith(at, rotate, isInherited), drawPage, machine),
      ),
      { numRuns: 4 },
    );
  });

  test.skipIf(!hasHelper("ffmpeg"))("of a mirrored and turned image that ffmpeg decodes", async () => {
    const machine = await withHelper("ffmpeg");
    const bytes = await Bun.file(join(repositoryRoot, "test/support/clips/turned.avif")).bytes();
    await expectSamePlace(viewer, "turned.avif", bytes, drawImage, machine);
  });

  test.skipIf(!hasHelper("ffmpeg"))(
    "of a video whose pixels are not square, however it is turned",
    async () => {
      const machine = await withHelper("ffmpeg");
      for (const rotation of ["0", "90", "180"])
        await expectSamePlace(
          viewer,
          `${rotation}.mp4`,
          await video({ x: 20, y: 60 }, rotation),
          drawVideo,
          machine,
        );
    },
  );
});

const ffmpeg = (...words: string[]) =>
  Bun.$`${must(Bun.which("ffmpeg", { PATH: process.env.SVC_TEST_MACHINE_PATH ?? "" }))} -loglevel error -y ${words}`.quiet();

/** A VP9 video with a spot, whose pixels are wider than high, and that is to be turned. */
async function video(at: Corner, rotation: string): Promise<Uint8Array> {
  const [still, flat, turned] = ["spot.png", "flat.mp4", "turned.mp4"].map((name) =>
    join(tmpdir(), name),
  ) as [string, string, string];
  await Bun.write(still, picture(at));
  const encode = "-frames:v 3 -vf setsar=3/2 -c:v libvpx-vp9 -pix_fmt yuv420p".split(" ");
  await ffmpeg("-loop", "1", "-i", still, ...encode, flat);
  await ffmpeg("-i", flat, "-c", "copy", "-metadata:s:v", `rotate=${rotation}`, turned);
  return Bun.file(turned).bytes();
}

test.skipIf(!hasHelper("ffmpeg"))("the frame of a time is the one that is shown then", async () => {
  const machine = await withHelper("ffmpeg");
  const file = join(tmpdir(), "frames.mp4");
  // Frames begin at 0, 100, 200, 500, 800, 1100 ms; each is as bright as its number says.
  const times = "setpts='if(lt(N,3),N,2+(N-2)*3)/10/TB'";
  await ffmpeg(
    ..."-f lavfi -i color=black:s=64x48:r=10 -frames:v 6 -fps_mode vfr".split(" "),
    ...[
      "-vf",
      `geq=lum='20+N*40':cb=128:cr=128,${times}`,
      ..."-c:v libvpx-vp9 -g 4 -pix_fmt yuv420p".split(" "),
    ],
    file,
  );
  const source = bytesSource(await Bun.file(file).bytes());
  const found = await machine.inspect(source);
  const brightness = async (t_ms: number) => {
    const image = await machine.annotatedImage(source, found, { t_ms, page: null }, []);
    const [gray = 0] = (await rasterOf(must(image))).pixels;
    return Math.floor((gray + 20) / 46);
  };
  const shown: [t_ms: number, frame: number][] = [
    [0, 0],
    [99, 0],
    [100, 1],
    [499, 2],
    [500, 3],
    [1099, 4],
    [5000, 5],
  ];
  for (const [t_ms, frame] of shown) expect([t_ms, await brightness(t_ms)]).toEqual([t_ms, frame]);
});

describe("the colors of a profile", () => {
  const profile = Buffer.alloc(500);
  profile.writeUInt32BE(500, 0);
  profile.write("\x02\x10\0\0mntrRGB XYZ ", 8, "latin1");
  profile.write("acsp", 36, "latin1");
  const chunk = made.pngChunk("iCCP", made.bytes("p\0\0", deflateSync(profile)));
  test("stay with the thumbnail in each format, and with the annotated image", async () => {
    const png = made.png(60, 40, { chunks: [chunk] });
    for (const bytes of [
      png,
      await new Bun.Image(png).webp().bytes(),
      await new Bun.Image(png).jpeg().bytes(),
    ]) {
      const source = bytesSource(bytes);
      const found = await probe.inspect(source);
      for (const [format, word] of [
        ["jpeg", "ICC_PROFILE"],
        ["webp", "ICCP"],
      ] as const) {
        const stored = must(await probe.thumbnail(source, found, format));
        expect([found.mime, Buffer.from(stored).includes(word)]).toEqual([found.mime, true]);
        const again = must(
          await probe.thumbnail(bytesSource(stored), await probe.inspect(bytesSource(stored)), "png"),
        );
        expect([found.mime, Buffer.from(again).includes("iCCP")]).toEqual([found.mime, true]);
      }
      const annotated = await probe.annotatedImage(source, found, { t_ms: null, page: null }, []);
      expect([found.mime, Buffer.from(must(annotated)).includes("ICCP")]).toEqual([found.mime, true]);
    }
  });
});
