/** Thumbnails, and the helpers that make some of them. */
import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readOrientation } from "../../../src/files/probe/images/sizes.ts";
import type { Inspection } from "../../../src/files/probe/kind.ts";
import { bytesSource, openFile } from "../../../src/files/probe/source.ts";
import { missingThumbnailReason } from "../../../src/files/probe/thumbnails/missing-thumbnail.ts";
import * as made from "../../support/assets/media.ts";
import {
  asInspection,
  expectThumbnail,
  helper,
  isAlive,
  look,
  type Made,
  open,
  probe,
  turned,
} from "../../support/assets/test-probe.ts";
import { must } from "../../support/harness.ts";
import { hasHelper, helperFolder } from "../../support/helper-path.ts";
import { useTemporaryFolder } from "../../support/use-temporary-folder.ts";

useTemporaryFolder();

describe("a thumbnail", () => {
  const thumbnailOf = async (bytes: Made, by = probe) => {
    const source = bytesSource(made.bytes((await bytes) as Uint8Array));
    return by.thumbnail(source, await by.inspect(source));
  };
  const images: [name: string, bytes: () => Made, size: [number, number]][] = [
    ["is at most 512 pixels wide", () => made.png(2000, 1000), [512, 256]],
    ["is at most 512 pixels high", () => made.png(100, 1000), [51, 512]],
    ["is no larger than the image", () => made.png(60, 40), [60, 40]],
    ["stands as the image is to be seen", turned, [40, 60]],
    ["of a GIF is its first frame", () => made.gif(9, 5, 3), [9, 5]],
    [
      "of a moving PNG whose first frame is not within it is the image",
      () => made.partPng({ width: 60, height: 40 }, { x: 4, y: 30 }, 24),
      [60, 40],
    ],
    ["of a moving WebP is its first frame", () => made.animatedWebp(60, 40), [60, 40]],
    ["has at most 200 KB, whatever it shows", () => made.noisyPng(1024, 1024), [512, 512]],
  ];
  for (const [name, bytes, size] of images)
    test(name, async () => expectThumbnail(await thumbnailOf(bytes()), size));

  test("comes with what tells images that look alike, nearly as it is read of a stored one", async () => {
    const plain = await new Bun.Image(await made.png(300, 200)).png().bytes();
    for (const bytes of [plain, await made.noisyPng(90, 70)]) {
      const found = await probe.inspectWithThumbnail(bytesSource(bytes));
      const stored = { source: bytesSource(must(found.thumbnail)), mime: "image/jpeg" };
      const ours = Buffer.from(must(found.signature), "base64");
      const theirs = Buffer.from(must(await probe.signature(stored)), "base64");
      const difference = ours.reduce((sum, mean, at) => sum + Math.abs(mean - must(theirs[at])), 0);
      // A thumbnail is compressed with a loss. Images look alike up to six.
      expect(difference / ours.length).toBeLessThan(2.5);
      expect(found.picture).toMatch(/^[\da-f]{16}$/);
    }
  });

  test("has no color profile that is large or of other colors, and no text", async () => {
    const profiled = async (size: number, colors = "RGB ") =>
      thumbnailOf(
        made.withSegment(
          await made.jpeg(60, 40),
          made.jpegSegment(0xe2, made.bytes("ICC_PROFILE\0", [1, 1], iccProfile(size, colors))),
        ),
      );
    expect(Buffer.from(must(await profiled(500))).includes("ICC_PROFILE")).toBe(true);
    expect(Buffer.from(must(await profiled(60_000))).includes("ICC_PROFILE")).toBe(false);
    expect(Buffer.from(must(await profiled(500, "CMYK"))).includes("ICC_PROFILE")).toBe(false);
  });

  test("is null for audio, text, vector graphics, pages and unknown types", async () => {
    for (const bytes of [
      made.wav(1),
      made.bytes("text"),
      made.bytes(made.svg),
      made.bytes(made.html),
      new Uint8Array(9),
    ])
      expect(await thumbnailOf(bytes)).toBeNull();
  });

  test("of video and PDF is null on a machine without helpers", async () => {
    for (const bytes of [made.mp4(), made.pdf()]) expect(await thumbnailOf(bytes)).toBeNull();
    expect(await probe.helpers()).toEqual([
      { name: "probe", purpose: expect.any(String), version: Bun.version },
      { name: "ffmpeg", purpose: expect.any(String), version: null },
      { name: "pdftoppm", purpose: expect.any(String), version: null },
      { name: "chromium", purpose: expect.any(String), version: null },
      { name: "c2patool", purpose: expect.any(String), version: null },
    ]);
  });

  test.skipIf(!hasHelper("ffmpeg"))(
    "of a video is one of its pictures, by the machine's ffmpeg",
    async () => {
      const machine = open({ path: await helperFolder("ffmpeg") });
      const hostile = [made.mp4({ reference: "http://127.0.0.1:9/" }), made.mp4({ timescale: 0 })];
      for (const bytes of [made.mp4(), made.webm(), ...hostile]) {
        const thumbnail = must(await thumbnailOf(bytes, machine));
        await expectThumbnail(thumbnail, [64, 48]);
        const [red = 0, green = 0, blue = 0] = await pixelOf(thumbnail);
        expect(red > 200 && green < 60 && blue < 60).toBe(true);
      }
      expect(machine.logged).toEqual([]);
    },
  );

  test.skipIf(!hasHelper("pdftoppm"))("of a PDF is its first page, by the machine's pdftoppm", async () => {
    const machine = open({ path: await helperFolder("pdftoppm") });
    await expectThumbnail(await thumbnailOf(made.pdf(1200, 600), machine), [512, 256]);
    expect(await thumbnailOf(made.bytes(made.pdf().subarray(0, 100)), machine)).toBeNull();
    expect(machine.logged).toEqual([]);
  });
});

/** What makes a profile pass for one: its size, its version, `acsp`. */
function iccProfile(size: number, colors: string): Uint8Array {
  const profile = Buffer.alloc(size);
  profile.writeUInt32BE(size, 0);
  profile.write(`\x02\x10\0\0mntr${colors}XYZ `, 8, "latin1");
  profile.write("acsp", 36, "latin1");
  return profile;
}

/** The pixel in the middle. */
async function pixelOf(webp: Uint8Array): Promise<number[]> {
  const png = await new Bun.Image(webp).resize(1, 1, { fit: "fill" }).png().bytes();
  const data = Buffer.from(png).indexOf("IDAT");
  const { inflateSync } = await import("node:zlib");
  return [
    ...inflateSync(png.subarray(data + 4, data + 4 + Buffer.from(png).readUInt32BE(data - 4))).subarray(1, 4),
  ];
}

test("a file without a thumbnail has a reason that its uploader can act on", () => {
  const reasonOf = (kind: Inspection["kind"], mime: string, width = 1, height = 1, size = 9) =>
    missingThumbnailReason({ kind, mime, width, height, size }).replace("No thumbnail: ", "");
  expect([
    reasonOf("image", "image/png", 20_000, 10_000),
    reasonOf("image", "image/jpeg", 9, 9, 60 * 2 ** 20),
    reasonOf("image", "image/x-canon-cr2"),
    reasonOf("image", "image/avif"),
    reasonOf("pdf", "application/pdf"),
    reasonOf("file", "text/plain"),
  ]).toEqual([
    "decoding this image of 200 megapixels takes more memory than svc allows.",
    "svc decodes images up to 48 MiB.",
    "svc has no decoder for image/x-canon-cr2.",
    "ffmpeg on the server could not make one, or is missing.",
    "pdftoppm on the server could not make one, or is missing; a PDF with a password has none.",
    "svc makes none of text/plain.",
  ]);
});

const tiff = (...tags: [tag: number, value: number][]) =>
  made.bytes(
    "II*\0",
    made.le32(8),
    made.le16(tags.length),
    ...tags.map(([tag, value]) => made.bytes(made.le16(tag), made.le16(4), made.le32(1), made.le32(value))),
    made.le32(0),
  );

test("a TIFF or Photoshop file that ffmpeg would decode as black has no thumbnail", () => {
  const sides: [number, number][] = [
    [256, 80],
    [257, 60],
  ];
  const orientationOf = (bytes: Uint8Array, mime = "image/tiff") =>
    readOrientation(
      { size: bytes.length, read: (offset, length) => bytes.subarray(offset, offset + length) },
      mime,
    );
  expect(orientationOf(tiff(...sides, [259, 5], [274, 6]))).toBe(6);
  expect(orientationOf(tiff(...sides, [259, 7]))).toBeNull();
  expect(orientationOf(tiff(...sides, [322, 64]))).toBeNull();
  const photoshop = (mode: number) =>
    made.bytes("8BPS", [0, 1], new Uint8Array(7), 3, made.be32(60), made.be32(80), [0, 8, 0, mode]);
  const types = [3, 4].map((mode) => orientationOf(photoshop(mode), "image/vnd.adobe.photoshop"));
  expect(types).toEqual([1, null]);
});

test.skipIf(!hasHelper("ffmpeg"))("a BMP with a palette has a thumbnail, by ffmpeg", async () => {
  const header = [40, 16, 8, 1 + 8 * 2 ** 16, 0, 128, 0, 0, 2, 0].map(made.le32);
  const colors = made.bytes([0, 0, 255, 0, 0, 0, 0, 0]);
  const bmp = made.bytes(
    "BM",
    made.le32(190),
    made.le32(0),
    made.le32(62),
    ...header,
    colors,
    new Uint8Array(128),
  );
  const source = bytesSource(bmp);
  const found = await open({ path: await helperFolder("ffmpeg") }).inspectWithThumbnail(source);
  await expectThumbnail(found.thumbnail, [16, 8]);
  expect(await pixelOf(must(found.thumbnail))).toEqual([255, 1, 0].map((value) => expect.closeTo(value, -1)));
});

describe("a helper", () => {
  test("gets the container format, may open files only, and has no environment and no shell", async () => {
    const outputFile = join(tmpdir(), "said");
    const path = await helper(
      "ffmpeg",
      `for word; do echo "$word"; done > '${outputFile}'; env > '${outputFile}.env'; exit 1`,
    );
    const file = join(tmpdir(), "a video; touch x.mp4");
    await writeFile(file, made.mp4());
    const source = await openFile(file);
    const probe = open({ path });
    expect(await probe.thumbnail(source, await probe.inspect(source))).toBeNull();
    await source.close();
    const words = readFileSync(outputFile, "utf8").trim().split("\n");
    expect(words.slice(0, words.indexOf("-i") + 2).join(" ")).toContain("-protocol_whitelist file -f mov ");
    expect(words[words.indexOf("-i") + 1]).toBe(`file:${file}`);
    const names = readFileSync(`${outputFile}.env`, "utf8").trim().split("\n");
    expect(
      names
        .map((line) => line.split("=", 1)[0])
        .filter((name) => !["PWD", "OLDPWD", "SHLVL", "_"].includes(must(name))),
    ).toEqual([]);
  });

  test("gets a copy of a remote file, which is deleted afterwards", async () => {
    const outputFile = join(tmpdir(), "copied");
    const path = await helper(
      "pdftoppm",
      `for word; do file="$word"; done; echo "$file" > '${outputFile}'; cat "$file" >> '${outputFile}'; exit 1`,
    );
    const bytes = made.pdf();
    await open({ path }).thumbnail(bytesSource(bytes), await look(bytes));
    const [name, ...content] = readFileSync(outputFile, "latin1").split("\n");
    expect(content.join("\n")).toBe(Buffer.from(bytes).toString("latin1"));
    expect(existsSync(must(name))).toBe(false);
  });

  test("is not run if the file is too large or too slow to copy", async () => {
    const outputFile = join(tmpdir(), "asked");
    const path = await helper("pdftoppm", `touch '${outputFile}'`);
    const found = asInspection(["application/pdf", "pdf"]);
    let requestCount = 0;
    const read = async (_offset: number, length: number) => {
      requestCount++;
      await Bun.sleep(50);
      return new Uint8Array(length);
    };
    expect(await open({ path }).thumbnail({ size: 2 ** 29, read }, found)).toBeNull();
    expect(requestCount).toBe(0);
    expect(
      await open({ path, limits: { sourceMs: 10 } }).thumbnail({ size: 2 ** 27, read }, found),
    ).toBeNull();
    expect(requestCount).toBe(1);
    expect(existsSync(outputFile)).toBe(false);
  });

  test("that hangs is killed, and there is no thumbnail (F18)", async () => {
    const outputFile = join(tmpdir(), "hanging");
    const probe = open({
      path: await helper("ffmpeg", `echo $$ > '${outputFile}'; while :; do :; done`),
      limits: { childMs: 1500 },
    });
    const source = bytesSource(made.mp4({ duration: 0 }));
    expect(await probe.thumbnail(source, asInspection(["video/mp4", "video", 64, 48]))).toBeNull();
    expect(isAlive(Number(readFileSync(outputFile, "utf8")))).toBe(false);
    expect(probe.logged.map(({ fields }) => fields.reason)).toEqual(["exceeded its time limit"]);
  });

  test("that prints no image, or too much, makes no thumbnail", async () => {
    const outcomes: [words: string, reasons: string[]][] = [
      ["echo no picture", []],
      ["while :; do echo 0123456789012345678901234567890123456789; done", []],
      ["kill -9 $$", ["was killed by SIGKILL"]],
    ];
    for (const [words, reasons] of outcomes) {
      const probe = open({ path: await helper("pdftoppm", words) });
      expect(await probe.thumbnail(bytesSource(made.pdf()), await look(made.pdf()))).toBeNull();
      expect(probe.logged.map(({ fields }) => fields.reason)).toEqual(reasons);
    }
  });

  test("is listed with its version", async () => {
    const path = await helper(
      "ffmpeg",
      "echo 'ffmpeg version 7.1.2-static Copyright'; echo 'built with gcc 12.2.0'",
    );
    expect((await open({ path }).helpers())[1]).toEqual({
      name: "ffmpeg",
      purpose: "video thumbnails and waveforms",
      version: "7.1.2-static",
    });
  });
});
