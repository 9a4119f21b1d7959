/** The colors of a thumbnail are those that a browser shows of the file. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { deflateSync } from "node:zlib";
import { decodePng } from "../../../src/files/probe/images/raster.ts";
import { bytesSource } from "../../../src/files/probe/source.ts";
import * as made from "../../support/assets/media.ts";
import { open } from "../../support/assets/test-probe.ts";
import { browserPath } from "../../support/browser/browser.ts";
import {
  type Draw,
  drawImage,
  drawVideo,
  openViewer,
  type Viewer,
} from "../../support/browser/file-viewer.ts";
import { must } from "../../support/harness.ts";
import { hasHelper, helperFolder } from "../../support/helper-path.ts";
import { repositoryRoot } from "../../support/repository.ts";
import { useTemporaryFolder } from "../../support/use-temporary-folder.ts";

useTemporaryFolder();

const limits = { childMs: 60_000, sourceMs: 60_000 };
const clip = (name: string) => Bun.file(join(repositoryRoot, "test/support/clips", name)).bytes();

/** Four colors, each in a quarter. */
const quarters = [
  [220, 40, 40],
  [40, 180, 60],
  [50, 60, 200],
  [128, 128, 128],
] as const;
const side = 32;

/** A PNG of 32 by 32 pixels. */
function picture(chunks: Uint8Array[], { isGray = false, bits = 8 } = {}): Uint8Array {
  const rows = Array.from({ length: side }, (_, y) => {
    const row = Array.from({ length: side }, (_, x) => {
      const color = must(quarters[(y < side / 2 ? 0 : 2) + (x < side / 2 ? 0 : 1)]);
      return (isGray ? [color[1]] : [...color]).flatMap((value) => (bits === 16 ? [value, value] : [value]));
    });
    return [0, ...row.flat()];
  });
  const header = made.bytes(made.be32(side), made.be32(side), [bits, isGray ? 0 : 2, 0, 0, 0]);
  const data = deflateSync(Uint8Array.from(rows.flat()));
  return made.bytes(
    ...[made.pngSignature, made.pngChunk("IHDR", header), ...chunks],
    ...[made.pngChunk("IDAT", data), made.pngChunk("IEND")],
  );
}

/** A color profile of the second version (ICC.1:2001-04). */
function profile(space: string, connection: string, tags: [name: string, data: Uint8Array][], padding = 0) {
  let offset = 128 + 4 + 12 * tags.length;
  const table = tags.map(([name, data]) => {
    const entry = made.bytes(name, made.be32(offset), made.be32(data.length));
    offset += data.length;
    return entry;
  });
  const body = made.bytes(made.be32(tags.length), ...table, ...tags.map(([, data]) => data));
  const header = Buffer.alloc(128);
  header.writeUInt32BE(128 + body.length + padding, 0);
  header.write(`\x02\x10\0\0${space === "CMYK" ? "prtr" : "mntr"}${space}${connection}`, 8, "latin1");
  header.write("acsp", 36, "latin1");
  header.set(xyz(0.9642, 1, 0.8249).subarray(8), 68);
  return made.bytes(header, body, new Uint8Array(padding));
}

const xyz = (...values: number[]) =>
  made.bytes("XYZ \0\0\0\0", ...values.map((value) => made.be32(Math.round(value * 65_536))));
const gammaCurve = (exponent: number) =>
  made.bytes("curv\0\0\0\0", made.be32(1), made.be16(exponent * 256), [0, 0]);
const white: [string, Uint8Array] = ["wtpt", xyz(0.9642, 1, 0.8249)];
/** Display P3, with the gamma of a television. */
const wide = (padding: number) =>
  profile(
    "RGB ",
    "XYZ ",
    [
      white,
      ["rXYZ", xyz(0.5151, 0.2412, -0.001 + 65_536)],
      ["gXYZ", xyz(0.292, 0.6922, 0.0419)],
      ["bXYZ", xyz(0.1571, 0.0666, 0.7841)],
      ...["rTRC", "gTRC", "bTRC"].map((name): [string, Uint8Array] => [name, gammaCurve(2.2)]),
    ],
    padding,
  );
const gray = profile("GRAY", "XYZ ", [white, ["kTRC", gammaCurve(1)]]);

/** Inks that are weaker than those of a screen's colors: a table with the Lab color of each mix of them. */
function inks(): Uint8Array {
  const ramp = Array.from({ length: 256 }, (_, index) => index);
  const mixes = Array.from({ length: 16 }, (_, mix) => {
    const [c, m, y, k] = [8, 4, 2, 1].map((bit) => (mix & bit ? 1 : 0)) as [number, number, number, number];
    const light = 255 * (1 - 0.4 * c) * (1 - 0.5 * m) * (1 - 0.1 * y) * (1 - 0.8 * k);
    return [light, 128 + 50 * (m - c * 0.7), 128 + 60 * (y - c * 0.6)].map(Math.round);
  });
  const identity = [1, 0, 0, 0, 1, 0, 0, 0, 1].map((value) => made.be32(value * 65_536));
  const table = made.bytes("mft1\0\0\0\0", [4, 3, 2, 0], ...identity, ...Array(4).fill(ramp), mixes.flat());
  return profile("CMYK", "Lab ", [white, ["A2B0", made.bytes(table, ...Array(3).fill(ramp))]]);
}

/** A profile in as many segments as it needs. */
function jpegWith(jpeg: Uint8Array, icc: Uint8Array): Uint8Array {
  const most = 65_000;
  const count = Math.ceil(icc.length / most);
  const parts = Array.from({ length: count }, (_, at) =>
    made.jpegSegment(
      0xe2,
      made.bytes("ICC_PROFILE\0", [at + 1, count], icc.subarray(at * most, at * most + most)),
    ),
  );
  return made.withSegment(jpeg, made.bytes(...parts));
}

const iccp = (icc: Uint8Array) => made.pngChunk("iCCP", made.bytes("p\0\0", deflateSync(icc)));
const gama = (value: number) => made.pngChunk("gAMA", made.be32(value));
const chrm = made.pngChunk(
  "cHRM",
  made.bytes(...[31270, 32900, 68000, 32000, 26500, 69000, 15000, 6000].map(made.be32)),
);
const cicp = (...numbers: number[]) => made.pngChunk("cICP", made.bytes(numbers));

const images: [name: string, bytes: () => Uint8Array | Promise<Uint8Array>][] = [
  ["cicp-p3.png", () => picture([cicp(12, 13, 0, 1)])],
  ["cicp-before-iccp.png", () => picture([cicp(1, 13, 0, 1), iccp(wide(0))])],
  ["cicp-pq.png", () => picture([cicp(9, 16, 0, 1)])],
  ["cicp-hlg.png", () => picture([cicp(9, 18, 0, 1)], { isGray: true, bits: 16 })],
  ["linear.png", () => picture([gama(100_000)])],
  ["linear-gray.png", () => picture([gama(100_000)], { isGray: true })],
  ["usual.png", () => picture([gama(45_455)])],
  ["wide.png", () => picture([gama(45_455), chrm])],
  ["srgb-counts.png", () => picture([made.pngChunk("sRGB", "\0"), gama(100_000), chrm])],
  ["gray-profile.png", () => picture([iccp(gray)], { isGray: true })],
  ["60-kb-profile.png", () => picture([iccp(wide(60_000))])],
  ["wrong-last-checksum.png", () => picture([]).with(-1, 0)],
  ["gray-profile.jpg", async () => jpegWith(await clip("gray.jpg"), gray)],
  [
    "profile-in-parts.jpg",
    async () => jpegWith(await new Bun.Image(picture([])).jpeg({ quality: 95 }).bytes(), wide(150_000)),
  ],
  ["inks.jpg", async () => jpegWith(await clip("cmyk.jpg"), inks())],
  ["inks-without-profile.jpg", () => clip("cmyk.jpg")],
];

/** The colors in the middle of each quarter, and how opaque they are. */
async function colorsIn(png: Uint8Array): Promise<number[][]> {
  const { width, height, pixels } = decodePng(await new Bun.Image(png).png().bytes());
  return [1, 3].flatMap((y) =>
    [1, 3].map((x) => {
      const at = (Math.floor((y * height) / 4) * width + Math.floor((x * width) / 4)) * 4;
      const [red = 0, green = 0, blue = 0, alpha = 0] = pixels.subarray(at, at + 4);
      return alpha === 0 ? [0, 0, 0, 0] : [red, green, blue, alpha];
    }),
  );
}

describe.skipIf(!browserPath)("the colors of a thumbnail are those of a browser", () => {
  let viewer: Viewer;
  beforeAll(async () => {
    viewer = await openViewer();
  });
  afterAll(() => viewer.close());

  async function expectSameColors(name: string, bytes: Uint8Array, draw: Draw, probe = open({ limits })) {
    const { thumbnail } = await probe.inspectWithThumbnail(bytesSource(bytes));
    const shown = await colorsIn(await viewer.draw(name, bytes, draw));
    const ours = await colorsIn(await viewer.draw("thumb.webp", must(thumbnail), drawImage));
    const distance = Math.max(
      ...shown.flatMap((color, at) =>
        color.map((value, index) => Math.abs(value - (ours[at]?.[index] ?? 0))),
      ),
    );
    expect({ name, shown, ours, isSame: distance <= 12 }).toMatchObject({ isSame: true });
  }

  test("of an image, by whatever says what its colors are", async () => {
    const probe = open({ limits });
    for (const [name, bytes] of images) await expectSameColors(name, await bytes(), drawImage, probe);
  });

  test.skipIf(!hasHelper("ffmpeg"))("of an AVIF with a profile and an alpha channel", async () => {
    const machine = open({ limits, path: await helperFolder("ffmpeg") });
    await expectSameColors("a.avif", await clip("alpha-p3.avif"), drawImage, machine);
  });

  test.skipIf(!hasHelper("ffmpeg"))("of a video, by its tags, and of HD without any", async () => {
    const machine = open({ limits, path: await helperFolder("ffmpeg") });
    const still = join(tmpdir(), "quarters.png");
    await Bun.write(still, picture([]));
    const videos: [name: string, size: string, words: string][] = [
      ["untagged.webm", "1280:720", "-c:v libvpx"],
      ["wide.mp4", "320:180", "-c:v libvpx-vp9 -color_primaries smpte432 -color_trc bt709 -colorspace bt709"],
      [
        "pq.mp4",
        "320:180",
        "-c:v libvpx-vp9 -color_primaries bt2020 -color_trc smpte2084 -colorspace bt2020nc",
      ],
    ];
    for (const [name, size, encode] of videos) {
      const matrix = encode.includes("bt2020") ? "bt2020" : "bt709";
      const output = join(tmpdir(), name);
      const filter = `scale=${size}:flags=neighbor:out_color_matrix=${matrix},format=yuv420p`;
      const ffmpeg = must(Bun.which("ffmpeg", { PATH: process.env.SVC_TEST_MACHINE_PATH ?? "" }));
      await Bun.$`${ffmpeg} -loglevel error -y -i ${still} -vf ${filter} ${encode.split(" ")} ${output}`.quiet();
      await expectSameColors(name, await Bun.file(output).bytes(), drawVideo, machine);
    }
  });
});

test.skipIf(!hasHelper("ffmpeg"))(
  "a HEIC has a thumbnail: of tiles, turned, with an alpha channel",
  async () => {
    const machine = open({ limits, path: await helperFolder("ffmpeg") });
    const shown = async (name: string) => {
      const source = bytesSource(await clip(name));
      const { inspection, thumbnail } = await machine.inspectWithThumbnail(source);
      const { width, height } = await new Bun.Image(must(thumbnail)).metadata();
      const annotated = await machine.annotatedImage(source, inspection, { t_ms: null, page: null }, []);
      expect(await colorsIn(must(annotated))).toEqual(
        (await colorsIn(must(thumbnail))).map((color) => color.map((value) => expect.closeTo(value, -1))),
      );
      return [
        inspection.mime,
        inspection.width,
        inspection.height,
        width,
        height,
        await colorsIn(must(thumbnail)),
      ];
    };
    const near = (...colors: number[][]) =>
      colors.map((color) => color.map((value) => expect.closeTo(value, -1)));
    // 150 by 100 stored pixels in tiles of 64, turned to the right.
    const turned = near([50, 60, 200, 255], [220, 40, 40, 255], [128, 128, 128, 255], [40, 180, 60, 255]);
    expect(await shown("tiled.heic")).toEqual(["image/heic", 100, 150, 100, 150, turned]);
    const clear = near([220, 40, 40, 255], [40, 180, 60, 255], [50, 60, 200, 255], [0, 0, 0, 0]);
    expect(await shown("alpha-p3.heic")).toEqual(["image/heic", 64, 48, 64, 48, clear]);
  },
);
