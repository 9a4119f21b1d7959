import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, readFileSync, realpathSync } from "node:fs";
import { chmod, mkdir, readdir, rm, utimes, writeFile } from "node:fs/promises";
import { availableParallelism, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { deflateSync } from "node:zlib";
import { blockReader } from "../../src/probe/bytes.ts";
import { walkGif } from "../../src/probe/images/gif.ts";
import { walkWebp } from "../../src/probe/images/webp.ts";
import type { Inspection } from "../../src/probe/kind.ts";
import { type Limits, limits } from "../../src/probe/limits.ts";
import type { FileSource, Probe } from "../../src/probe/port.ts";
import { openProbe } from "../../src/probe/probe.ts";
import { encodeFrame, FrameReader } from "../../src/probe/sandbox/message-frames.ts";
import { Queue } from "../../src/probe/sandbox/queue.ts";
import { resourceLimits } from "../../src/probe/sandbox/resource-limits.ts";
import { bytesSource, openFile } from "../../src/probe/source.ts";
import { type LogLine, must, temporaryFolder, until } from "../support/harness.ts";
import {
  blackPng,
  boxSize,
  changed,
  manyComments,
  manyScans,
  profileBomb,
  scriptedJpeg,
  textBomb,
  utf16,
} from "../support/hostile-files.ts";
import * as made from "../support/media.ts";
import { repositoryRoot } from "../support/repository.ts";

const root = repositoryRoot;
const { SVC_TEST_BINARY: binary } = process.env;
const command = binary ? [binary, "probe"] : [process.execPath, join(root, "cli/probe.ts")];

const isFenced = Bun.which("setpriv") !== null && Bun.which("prlimit") !== null;

interface TestProbe extends Probe {
  logged: LogLine[];
}

/** No helper is found, unless `path` names a folder that holds one. */
function open(
  options: { command?: string[]; path?: string | undefined; limits?: Partial<Limits> } = {},
): TestProbe {
  const logged: LogLine[] = [];
  const log = (level: string, message: string, fields: Record<string, unknown>) =>
    void logged.push({ level, message, fields });
  return { ...openProbe({ command, path: "", log, ...options } as Parameters<typeof openProbe>[0]), logged };
}

const folder = await temporaryFolder();
const { TMPDIR } = process.env;
beforeAll(() => {
  process.env.TMPDIR = folder.path;
});
afterAll(async () => {
  if (TMPDIR === undefined) delete process.env.TMPDIR;
  else process.env.TMPDIR = TMPDIR;
  await folder.close();
});

const probe = open();
const look = (bytes: Uint8Array | string): Promise<Inspection> =>
  probe.inspect(bytesSource(made.bytes(bytes)));

/** Type, kind, width, height, duration. */
type Expected = [
  mime: string,
  kind: Inspection["kind"],
  width?: number | null,
  height?: number | null,
  duration_ms?: number | null,
];
const asInspection = ([
  mime,
  kind,
  width = null,
  height = null,
  duration_ms = null,
]: Expected): Inspection => ({
  mime,
  kind,
  width,
  height,
  duration_ms,
});
type Made = Uint8Array | string | Promise<Uint8Array>;

function describeFiles(title: string, files: [name: string, bytes: () => Made, expected: Expected][]): void {
  describe(title, () => {
    for (const [name, bytes, expected] of files)
      test(name, async () => expect(await look(await bytes())).toEqual(asInspection(expected)));
  });
}

const svgOf = (attributes: string) =>
  `<?xml version="1.0"?><!-- <svg width="1"> --><svg xmlns="x" ${attributes}><g/></svg>`;
describeFiles("an SVG has the width and height that a browser gives it", [
  ["of its attributes", () => svgOf(`width="120" height='80.6px'`), ["image/svg+xml", "image", 120, 81]],
  ["in other units", () => svgOf('width="1in" height="2.54cm"'), ["image/svg+xml", "image", 96, 96]],
  ["of its view box", () => svgOf('viewBox="0 0 300 150"'), ["image/svg+xml", "image", 300, 150]],
  [
    "of its view box, where the others are shares",
    () => svgOf('width="100%" height="100%" viewBox="-5,-5,30,10"'),
    ["image/svg+xml", "image", 30, 10],
  ],
  [
    "of one of them and the view box",
    () => svgOf('width="600" viewBox="0 0 300 150"'),
    ["image/svg+xml", "image", 600, 300],
  ],
  [
    "with a prefix",
    () => '<s:svg xmlns:s="x" data-width="9" width="7" height="5"/>',
    ["image/svg+xml", "image", 7, 5],
  ],
  ["in UTF-16", () => utf16('<svg width="7" height="5"/>'), ["image/svg+xml", "image", 7, 5]],
  ["or none, where it says nothing of them", () => svgOf(""), ["image/svg+xml", "image"]],
  [
    "or none, where they make no sense",
    () => svgOf('width="-1" height="1e99" viewBox="0 0 0 NaN"'),
    ["image/svg+xml", "image"],
  ],
]);

describeFiles("a file is what its bytes are", [
  ["a PNG", () => made.png(60, 40), ["image/png", "image", 60, 40]],
  ["a JPEG", () => made.jpeg(60, 40), ["image/jpeg", "image", 60, 40]],
  ["a progressive JPEG", () => made.jpeg(60, 40, { progressive: true }), ["image/jpeg", "image", 60, 40]],
  ["a JPEG that is to be turned has the dimensions it is seen with", turned, ["image/jpeg", "image", 40, 60]],
  ["a JPEG with padding between its segments", paddedJpeg, ["image/jpeg", "image", 60, 40]],
  ["a GIF", () => made.gif(9, 5), ["image/gif", "image", 9, 5]],
  ["a GIF that moves", () => made.gif(9, 5, 3), ["image/gif", "image", 9, 5]],
  ["a WebP", () => made.webp(60, 40), ["image/webp", "image", 60, 40]],
  ["a WebP that moves", () => made.animatedWebp(60, 40), ["image/webp", "image", 60, 40]],
  ["an SVG", () => made.svg, ["image/svg+xml", "image", 8, 8]],
  ["an MP4", () => made.mp4(), ["video/mp4", "video", 64, 48, 1000]],
  [
    "an MP4 without pictures is audio",
    () => made.mp4({ sound: true }),
    ["audio/mp4", "audio", null, null, 1000],
  ],
  ["a WebM", () => made.webm({ duration: 1500 }), ["video/webm", "video", 64, 48, 1500]],
  ["an MP3", () => made.mp3(100), ["audio/mpeg", "audio", null, null, 2612]],
  [
    "an MP3 with a tag in front",
    () => made.bytes("ID3", [4, 0, 0, 0, 0, 0, 0], made.mp3(100)),
    ["audio/mpeg", "audio", null, null, 2612],
  ],
  ["a WAV", () => made.wav(2), ["audio/wav", "audio", null, null, 2000]],
  ["a PDF", () => made.pdf(), ["application/pdf", "pdf"]],
  ["a page", () => made.html, ["text/html", "html"]],
  ["a piece of a page", () => "\n  <div>hello</div>", ["text/html", "html"]],
  [
    "an XHTML page",
    () => '<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"/>',
    ["application/xhtml+xml", "html"],
  ],
  [
    "a zip with an index at its root is a bundle",
    () => made.zip([{ name: "index.html" }, { name: "a/b.css" }]),
    ["application/zip", "html"],
  ],
  [
    "a zip with an index in its only folder is a bundle",
    () => made.zip([{ name: "a/" }, { name: "a/index.html" }]),
    ["application/zip", "html"],
  ],
  ["what macOS adds to a zip is no folder", macZip, ["application/zip", "html"]],
  [
    "a zip with two folders is a file",
    () => made.zip([{ name: "a/index.html" }, { name: "b/x" }]),
    ["application/zip", "file"],
  ],
  [
    "a zip without an index is a file",
    () => made.zip([{ name: "a.txt", data: "x" }]),
    ["application/zip", "file"],
  ],
  ["other XML", () => '<?xml version="1.0"?><rss/>', ["application/xml", "file"]],
  ["prose", () => "# Title\n\n<b>bold</b>\n", ["text/plain", "file"]],
  ["JSON", () => '{"a": 1}', ["text/plain", "file"]],
  ["text with a byte order mark", () => made.bytes([0xef, 0xbb, 0xbf], "hello"), ["text/plain", "file"]],
  ["UTF-16 text with a mark", () => utf16("hello"), ["text/plain", "file"]],
  [
    "a program",
    () => made.bytes([0x7f], "ELF", [2, 1, 1, 0], new Uint8Array(56)),
    ["application/x-elf", "file"],
  ],
  ["nothing", () => "", ["application/octet-stream", "file"]],
  ["zeros", () => new Uint8Array(5000), ["application/octet-stream", "file"]],
  [
    "random bytes",
    () => made.bytes([0x13], deflateSync("unknown").subarray(2)),
    ["application/octet-stream", "file"],
  ],
]);

async function turned(): Promise<Uint8Array> {
  return made.withSegment(await made.jpeg(60, 40), made.orientation(6));
}
async function paddedJpeg(): Promise<Uint8Array> {
  return made.withSegment(
    await made.jpeg(60, 40),
    made.bytes(made.jpegSegment(0xfe, "x"), [0, 0, 0xff, 0, 0xff, 0xff]),
  );
}
function macZip(): Uint8Array {
  return made.zip([
    { name: "site/index.html" },
    { name: "site/.DS_Store" },
    { name: "__MACOSX/site/._index.html" },
  ]);
}

describeFiles("a file that pretends is what its bytes are (F43)", [
  ["a PNG with a page behind it", () => made.bytes(made.png(6, 4), made.html), ["image/png", "image", 6, 4]],
  ["a JPEG with a script in its comment", scriptedJpeg, ["image/jpeg", "image", 60, 40]],
  [
    "a GIF that is a script as well",
    () => made.bytes("GIF89a/*", made.gif(3, 3).subarray(8), "*/=1;alert(1)"),
    ["image/gif", "image", 10799, 3],
  ],
  ["a script that begins like a GIF and is none", () => "GIF89a=0;alert(1)//", ["image/gif", "file"]],
  ["a page named .png", () => "<html><script>alert(1)</script>", ["text/html", "html"]],
  ["a page behind a mark of UTF-8", () => made.bytes([0xef, 0xbb, 0xbf], made.html), ["text/html", "html"]],
  ["a page in UTF-16, little end first", () => utf16(made.html), ["text/html", "html"]],
  ["a page in UTF-16, big end first", () => utf16(made.html, true), ["text/html", "html"]],
  [
    "a page in UTF-16 without a mark is no text",
    () => new Uint8Array(Buffer.from(made.html, "utf16le")),
    ["application/octet-stream", "file"],
  ],
  ["a page in UTF-7 is text", () => "+ADw-script+AD4-alert(1)+ADw-/script+AD4-", ["text/plain", "file"]],
  ["a page behind a comment without end", () => "<!-- hello", ["text/html", "html"]],
  ["an SVG behind a comment", () => "<!-- x --><svg onload=alert(1)>", ["image/svg+xml", "image"]],
  ["an SVG with a prefix", () => '<x:svg xmlns:x="http://www.w3.org/2000/svg"/>', ["image/svg+xml", "image"]],
  ["an SVG in UTF-16", () => utf16('<?xml version="1.0"?><svg/>'), ["image/svg+xml", "image"]],
  [
    "an SVG with entities (F42)",
    () => '<?xml version="1.0"?><!DOCTYPE svg [<!ENTITY a "&b;"><!ENTITY b "&a;">]><svg>&a;</svg>',
    ["image/svg+xml", "image"],
  ],
  ["words that begin like a bitmap", () => "BMW builds cars.\n", ["text/plain", "file"]],
  ["words that begin like a GIF", () => "GIF is pronounced as it is written.\n", ["text/plain", "file"]],
  ["words that begin like a program", () => "MZ is how they begin.\n", ["text/plain", "file"]],
  ["a list of media is text", () => "#EXTM3U\n#EXTINF:10,\nfile:///etc/passwd\n", ["text/plain", "file"]],
  ["a list of ffmpeg is text", () => "ffconcat version 1.0\nfile /etc/passwd\n", ["text/plain", "file"]],
  [
    "a list behind the first bytes of an MP4",
    () => made.bytes(made.box("ftyp", made.bytes("isom")), "#EXTM3U\nfile:///etc/passwd\n"),
    ["video/mp4", "file"],
  ],
]);

const cut = async (bytes: Made, length: number) =>
  made.bytes((await bytes) as Uint8Array).subarray(0, length);
describeFiles("a damaged image is a file without dimensions (F40)", [
  ["a PNG that ends early", () => cut(made.png(60, 40), 80), ["image/png", "file"]],
  [
    "a PNG with one wrong bit",
    () => changed(made.png(60, 40), 50, made.bytes([0x55])),
    ["image/png", "file"],
  ],
  [
    "a PNG too large to decode, with one wrong bit",
    () => changed(blackPng(12_000, 12_000), 50, made.bytes([0x55])),
    ["image/png", "file"],
  ],
  [
    "a PNG whose data are none",
    () => made.png(60, 40, { data: made.bytes("no zlib") }),
    ["image/png", "file"],
  ],
  ["a PNG with too few rows", () => made.png(60, 40, { data: made.zlibZeros(10) }), ["image/png", "file"]],
  ["a PNG of 0 by 0", () => made.png(0, 0, { data: made.zlibZeros(1) }), ["image/png", "file"]],
  ["a PNG without an end", () => cut(made.png(60, 40), made.png(60, 40).length - 12), ["image/png", "file"]],
  ["a JPEG that ends early", () => cut(made.jpeg(60, 40), 500), ["image/jpeg", "file"]],
  [
    "a JPEG without an end",
    async () => cut(made.jpeg(60, 40), (await made.jpeg(60, 40)).length - 2),
    ["image/jpeg", "file"],
  ],
  ["a GIF that ends early", () => cut(made.gif(20, 20), 60), ["image/gif", "file"]],
  ["a WebP that ends early", () => cut(made.webp(60, 40), 50), ["image/webp", "file"]],
  ["a WebP that moves and ends early", () => cut(made.animatedWebp(60, 40), 100), ["image/webp", "file"]],
]);

const mp4 = made.mp4();
describeFiles("whatever audio and video claim, a measure is a whole number or null (F44)", [
  ["no time scale", () => made.mp4({ timescale: 0 }), ["video/mp4", "video", 64, 48]],
  ["a duration of all ones", () => made.mp4({ duration: 0xffffffff }), ["video/mp4", "video", 64, 48]],
  ["no duration", () => made.mp4({ duration: 0 }), ["video/mp4", "video", 64, 48]],
  ["no width and height", () => made.mp4({ width: 0, height: 0 }), ["video/mp4", "video", null, null, 1000]],
  [
    "a last box without a size ends with the file",
    () => boxSize(mp4, "mdat", 0),
    ["video/mp4", "video", 64, 48, 1000],
  ],
  ["a first box without a size holds everything", () => boxSize(mp4, "ftyp", 0), ["video/mp4", "file"]],
  ["an index without a size", () => boxSize(mp4, "moov", 0), ["video/mp4", "file"]],
  ["a track without a size", () => boxSize(mp4, "trak", 0), ["video/mp4", "file"]],
  ["a track smaller than its header", () => boxSize(mp4, "trak", 4), ["video/mp4", "file"]],
  ["an index of 2 GB", () => boxSize(mp4, "moov", 0x7fffffff), ["video/mp4", "file"]],
  [
    "a sample count of all ones",
    () => changed(mp4, Buffer.from(mp4).indexOf("stsz") + 12, made.be32(0xffffffff)),
    ["video/mp4", "video", 64, 48],
  ],
  ["an MP4 that ends early", () => cut(mp4, 200), ["video/mp4", "file"]],
  [
    "data in another file, which is not opened",
    () => made.mp4({ reference: "file:///etc/passwd" }),
    ["video/mp4", "video", 64, 48, 1000],
  ],
  ["a WebM of NaN", () => made.webm({ duration: Number.NaN }), ["video/webm", "video", 64, 48]],
  [
    "a WebM of infinity",
    () => made.webm({ duration: Number.POSITIVE_INFINITY }),
    ["video/webm", "video", 64, 48],
  ],
  ["a WebM of minus five", () => made.webm({ duration: -5 }), ["video/webm", "video", 64, 48]],
  ["a WebM of thirty million years", () => made.webm({ duration: 1e18 }), ["video/webm", "video", 64, 48]],
  ["a WebM that ends early", () => cut(made.webm(), 100), ["video/webm", "file"]],
  [
    "a WAV of all ones",
    () => made.wav(1, { riffSize: 0xffffffff, dataSize: 0xffffffff }),
    ["audio/wav", "audio", null, null, 1000],
  ],
  [
    "a WAV that claims more than it has",
    () => made.wav(1, { dataSize: 1e9 }),
    ["audio/wav", "audio", null, null, 1000],
  ],
  ["a WAV without a rate", () => made.wav(1, { sampleRate: 0 }), ["audio/wav", "audio"]],
  ["a WAV without a sample", () => made.wav(0), ["audio/wav", "audio"]],
  ["a WAV that ends early", () => cut(made.wav(1), 20), ["audio/wav", "file"]],
  [
    "a tag of 256 MB in front of an MP3",
    () => made.bytes("ID3", [4, 0, 0, 0x7f, 0x7f, 0x7f, 0x7f], made.mp3(50)),
    ["audio/mpeg", "file"],
  ],
]);

describe("images that unpack to more than they are (F41)", () => {
  const bombs: [name: string, bytes: () => Made, expected: Expected, thumbnail: [number, number] | null][] = [
    ["30000 by 30000 pixels", () => blackPng(30_000, 30_000), ["image/png", "file"], null],
    [
      "144 megapixels are measured and not decoded",
      () => blackPng(12_000, 12_000),
      ["image/png", "image", 12_000, 12_000],
      null,
    ],
    ["a colour profile of 512 MB", profileBomb, ["image/png", "image", 60, 40], [60, 40]],
    ["a text of 512 MB", textBomb, ["image/png", "image", 60, 40], [60, 40]],
    ["100 scans", () => manyScans(100), ["image/jpeg", "image", 60, 40], [60, 40]],
    ["20000 scans", () => manyScans(20_000), ["image/jpeg", "file"], null],
    ["20000 frames", () => made.gif(9, 5, 20_000), ["image/gif", "image", 9, 5], [9, 5]],
    ["20000 comments", manyComments, ["image/jpeg", "image", 60, 40], [60, 40]],
  ];
  // The limit is a quarter of the ordinary one: whoever unpacks a bomb dies of it.
  const watched = open({ limits: { childBytes: 64 * 2 ** 20 } });

  for (const [name, bytes, expected, size] of bombs)
    test(name, async () => {
      const source = bytesSource((await bytes()) as Uint8Array);
      const found = await watched.inspect(source);
      expect(found).toEqual(asInspection(expected));
      await expectThumbnail(await watched.thumbnail(source, { ...found, kind: "image" }), size);
      expect(watched.logged).toEqual([]);
    });

  test("40 megapixels are decoded within the ordinary limit", async () => {
    const source = bytesSource(blackPng(8000, 5000));
    const found = await probe.inspect(source);
    expect(found).toEqual(asInspection(["image/png", "image", 8000, 5000]));
    await expectThumbnail(await probe.thumbnail(source, found), [512, 320]);
    expect(probe.logged).toEqual([]);
  });
});

test("only the first frame of an animation reaches the decoder", async () => {
  const still = made.gif(9, 5);
  expect(walkGif(made.gif(9, 5, 20_000), still.length).bytes).toEqual(still);
  const one = await made.animatedWebp(60, 40, 1);
  const many = await made.animatedWebp(60, 40, 500);
  expect(walkWebp(many, many.length).bytes).toEqual(walkWebp(one, one.length).bytes);
});

async function expectThumbnail(thumbnail: Uint8Array | null, size: [number, number] | null): Promise<void> {
  if (size === null) return void expect(thumbnail).toBeNull();
  const { width, height, format } = await new Bun.Image(must(thumbnail)).metadata();
  expect([format, width, height] as unknown[]).toEqual(["webp", ...size]);
  expect(must(thumbnail).length).toBeLessThanOrEqual(200_000);
}

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
    ["of a moving WebP is its first frame", () => made.animatedWebp(60, 40), [60, 40]],
    ["has at most 200 KB, whatever it shows", () => made.noisyPng(1024, 1024), [512, 512]],
  ];
  for (const [name, bytes, size] of images)
    test(name, async () => expectThumbnail(await thumbnailOf(bytes()), size));

  test("has no large color profile and no text", async () => {
    const profiled = async (size: number) =>
      thumbnailOf(
        made.withSegment(
          await made.jpeg(60, 40),
          made.jpegSegment(0xe2, made.bytes("ICC_PROFILE\0", [1, 1], iccProfile(size))),
        ),
      );
    expect(Buffer.from(must(await profiled(500))).includes("ICCP")).toBe(true);
    expect(Buffer.from(must(await profiled(60_000))).includes("ICCP")).toBe(false);
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
    ]);
  });

  const machine = open({ path: undefined });
  test.skipIf(!Bun.which("ffmpeg"))(
    "of a video is one of its pictures, by the machine's ffmpeg",
    async () => {
      for (const bytes of [made.mp4(), made.webm(), made.mp4({ reference: "http://127.0.0.1:9/" })]) {
        const thumbnail = must(await thumbnailOf(bytes, machine));
        await expectThumbnail(thumbnail, [64, 48]);
        const [red = 0, green = 0, blue = 0] = await pixelOf(thumbnail);
        expect(red > 200 && green < 60 && blue < 60).toBe(true);
      }
      expect(machine.logged).toEqual([]);
    },
  );

  test.skipIf(!Bun.which("pdftoppm"))("of a PDF is its first page, by the machine's pdftoppm", async () => {
    await expectThumbnail(await thumbnailOf(made.pdf(1200, 600), machine), [512, 256]);
    expect(await thumbnailOf(made.bytes(made.pdf().subarray(0, 100)), machine)).toBeNull();
    expect(machine.logged).toEqual([]);
  });
});

/** What makes a profile pass for one: its size, its version, `acsp`. */
function iccProfile(size: number): Uint8Array {
  const profile = Buffer.alloc(size);
  profile.writeUInt32BE(size, 0);
  profile.write("\x02\x10\0\0mntrRGB XYZ ", 8, "latin1");
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

let scripts = 0;

/** A helper that does what the words of a shell say, in a folder to be looked in. */
async function helper(name: string, words: string): Promise<string> {
  const place = join(folder.path, `helper-${scripts++}`);
  await mkdir(place);
  const path = join(place, name);
  await writeFile(path, `#!/bin/sh\n${words}\n`);
  await chmod(path, 0o755);
  return place;
}

describe("a helper", () => {
  test("gets the container format, may open files only, and has no environment and no shell", async () => {
    const said = join(folder.path, "said");
    const path = await helper(
      "ffmpeg",
      `for word; do echo "$word"; done > ${said}; env > ${said}.env; exit 1`,
    );
    const file = join(folder.path, "a video; touch x.mp4");
    await writeFile(file, made.mp4());
    const source = await openFile(file);
    const probe = open({ path });
    expect(await probe.thumbnail(source, await probe.inspect(source))).toBeNull();
    await source.close();
    const words = readFileSync(said, "utf8").trim().split("\n");
    expect(words.slice(0, words.indexOf("-i") + 2).join(" ")).toContain("-protocol_whitelist file -f mov ");
    expect(words[words.indexOf("-i") + 1]).toBe(`file:${file}`);
    const names = readFileSync(`${said}.env`, "utf8").trim().split("\n");
    expect(
      names
        .map((line) => line.split("=", 1)[0])
        .filter((name) => !["PWD", "OLDPWD", "SHLVL", "_"].includes(must(name))),
    ).toEqual([]);
  });

  test("gets a copy of a remote file, which is deleted afterwards", async () => {
    const said = join(folder.path, "copied");
    const path = await helper(
      "pdftoppm",
      `for word; do file="$word"; done; echo "$file" > ${said}; cat "$file" >> ${said}; exit 1`,
    );
    const bytes = made.pdf();
    await open({ path }).thumbnail(bytesSource(bytes), await look(bytes));
    const [name, ...content] = readFileSync(said, "latin1").split("\n");
    expect(content.join("\n")).toBe(Buffer.from(bytes).toString("latin1"));
    expect(existsSync(must(name))).toBe(false);
  });

  test("is not run if the file is too large or too slow to copy", async () => {
    const said = join(folder.path, "asked");
    const path = await helper("pdftoppm", `touch ${said}`);
    const found = asInspection(["application/pdf", "pdf"]);
    let asked = 0;
    const read = async (_offset: number, length: number) => {
      asked++;
      await Bun.sleep(50);
      return new Uint8Array(length);
    };
    expect(await open({ path }).thumbnail({ size: 2 ** 29, read }, found)).toBeNull();
    expect(asked).toBe(0);
    expect(
      await open({ path, limits: { sourceMs: 10 } }).thumbnail({ size: 2 ** 27, read }, found),
    ).toBeNull();
    expect(asked).toBe(1);
    expect(existsSync(said)).toBe(false);
  });

  test("that hangs is killed, and there is no thumbnail (F18)", async () => {
    const said = join(folder.path, "hanging");
    const probe = open({
      path: await helper("ffmpeg", `echo $$ > ${said}; while :; do :; done`),
      limits: { childMs: 1500 },
    });
    const source = bytesSource(made.mp4({ duration: 0 }));
    expect(await probe.thumbnail(source, asInspection(["video/mp4", "video", 64, 48]))).toBeNull();
    expect(isAlive(Number(readFileSync(said, "utf8")))).toBe(false);
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
      purpose: "video thumbnails",
      version: "7.1.2-static",
    });
  });
});

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

/** A child that does something else. It leaves its number in a file before. */
async function child(script: string): Promise<{ command: string[]; pid: () => number }> {
  const path = join(folder.path, `child-${scripts++}.ts`);
  const frames = JSON.stringify(join(root, "src/probe/sandbox/message-frames.ts"));
  const said = `${path}.pid`;
  await writeFile(
    path,
    `import { readSync, writeFileSync, writeSync } from "node:fs";
     import { encodeFrame } from ${frames};
     const say = (head, body) => writeSync(1, encodeFrame(head, body));
     writeFileSync(${JSON.stringify(said)}, String(process.pid));
     ${script}`,
  );
  return { command: [process.execPath, path], pid: () => Number(readFileSync(said, "utf8")) };
}

const png = bytesSource(made.png(60, 40));
const typed =
  'say({ say: "found", found: { mime: "image/png", kind: "image", width: null, height: null, duration_ms: null } });';

test("a WebM of 280 bytes that hangs its parser has no dimensions, and the parser is killed", async () => {
  const webm = await made.webm();
  const endless = changed(
    webm,
    Buffer.from(webm).indexOf("\x16\x54\xae\x6b", 0, "latin1") + 4,
    made.bytes([0]),
  );
  const probe = open({ limits: { childMs: 2000 } });
  expect(await probe.inspect(bytesSource(endless))).toEqual(asInspection(["video/webm", "video"]));
  expect(probe.logged.map(({ fields }) => fields.reason)).toEqual(["exceeded its time limit"]);
});

describe("a child that runs no parser", () => {
  /** The real one, which also writes down that it began. */
  async function counted() {
    const [path, said] = [
      join(folder.path, `${Bun.randomUUIDv7()}.ts`),
      join(folder.path, Bun.randomUUIDv7()),
    ];
    await writeFile(
      path,
      `import { appendFileSync } from "node:fs";
       import { runProbe } from ${JSON.stringify(join(root, "cli/probe.ts"))};
       appendFileSync(${JSON.stringify(said)}, process.pid + " ");
       await runProbe();`,
    );
    const pids = () => readFileSync(said, "utf8").trim().split(" ").map(Number);
    return { probe: open({ command: [process.execPath, path] }), pids };
  }
  const inspect = async (probe: Probe, ...files: (Uint8Array | string)[]) => {
    const types: string[] = [];
    for (const one of files) types.push((await probe.inspect(bytesSource(made.bytes(one)))).mime);
    return types;
  };

  test("is reused for the next file", async () => {
    const { probe, pids } = await counted();
    expect(await inspect(probe, "words", made.html, '{"a": 1}', "", made.pdf())).toEqual(
      ["plain", "html", "plain"]
        .map((name) => `text/${name}`)
        .concat("application/octet-stream", "application/pdf"),
    );
    expect(pids()).toHaveLength(1);
    await until(() => !isAlive(must(pids()[0])), "it goes when nobody asks");
  });

  test("is the only one reused: after parsing an image, audio or zip it ends", async () => {
    const { probe, pids } = await counted();
    for (const one of [made.png(60, 40), made.wav(1), made.zip([{ name: "a" }])])
      await inspect(probe, "words", one);
    expect(pids()).toHaveLength(3);
    expect(probe.logged).toEqual([]);
  });

  test("may die while it is idle", async () => {
    const { probe, pids } = await counted();
    await inspect(probe, "words");
    process.kill(must(pids()[0]), "SIGKILL");
    expect(await inspect(probe, made.html, made.html)).toEqual(["text/html", "text/html"]);
    expect(pids()).toHaveLength(2);
  });
});

describe("a file whose first bytes are at hand", () => {
  const told = async (bytes: Uint8Array, by: Probe) =>
    by.inspect({ ...bytesSource(bytes), head: bytes.subarray(0, 64 * 2 ** 10) });

  test("is identified without a child if it is plain text", async () => {
    const probe = open({ command: [join(folder.path, "nothing")] });
    for (const [text, expected] of [
      ["# Title\n\n<b>bold</b>\n", ["text/plain", "file"]],
      [made.html, ["text/html", "html"]],
      [made.svg, ["image/svg+xml", "image", 8, 8]],
      [`x${"é".repeat(2 ** 16)}`, ["text/plain", "file"]], // its head ends in the middle of a letter
    ] as [string, Expected][])
      expect(await told(Buffer.from(text), probe)).toEqual(asInspection(expected));
    expect(probe.logged).toEqual([]);
    for (const other of [
      made.bytes("words", [0]),
      made.bytes(made.pdf()),
      new Uint8Array(),
      made.bytes([0xff], "words"),
    ])
      await told(other, probe);
    expect(probe.logged).toHaveLength(4);
  });

  test("of a text format with a signature is identified by it", async () => {
    const begun = {
      ...{
        "%PDF-1.7": "application/pdf",
        "%!PS-Adobe-3.0": "application/postscript",
        "{\\rtf1": "application/rtf",
        WEBVTT: "text/vtt",
      },
      ...{
        "BEGIN:VCARD": "text/vcard",
        "BEGIN:VCALENDAR": "text/calendar",
        GIF89a: "image/gif",
        "II*": "text/plain",
        ID3: "text/plain",
      },
    };
    for (const [beginning, mime] of Object.entries(begun))
      for (const mark of ["", "\ufeff"])
        expect((await told(Buffer.from(`${mark}${beginning} and words\n`), probe)).mime).toBe(mime);
    for (const bytes of [await made.png(60, 40), made.wav(1), made.mp4(), made.zip([{ name: "index.html" }])])
      expect(await told(bytes, probe)).toEqual(await look(bytes));
  });

  test("is not read for them again", async () => {
    const bytes = made.png(60, 40);
    const read = async () => {
      throw new Error("asked");
    };
    expect(await probe.inspect({ size: bytes.length, head: bytes, read })).toEqual(
      asInspection(["image/png", "image", 60, 40]),
    );
  });
});

describe("a child process that", () => {
  const unknown: Expected = ["application/octet-stream", "file"];
  const misdeeds: [does: string, script: string, expected: Expected, reason: RegExp][] = [
    ["hangs is killed", "for (;;);", unknown, /^exceeded its time limit$/],
    [
      "hangs after it found the type leaves the type",
      `${typed} for (;;);`,
      ["image/png", "image"],
      /^exceeded its time limit$/,
    ],
    [
      "talks and talks is killed",
      `for (;;) { ${typed} readSync(0, new Uint8Array(10)); Bun.sleepSync(9); } for (;;);`,
      ["image/png", "image"],
      /^exceeded its time limit$/,
    ],
    [
      "dies leaves what is known",
      `${typed} process.kill(process.pid, "SIGKILL");`,
      ["image/png", "image"],
      /^was killed by SIGKILL$/,
    ],
    ["fails is nobody's exception", "process.exit(3);", unknown, /^exited with code 3$/],
    ["ends without a word is nobody's exception", "", unknown, /^sent an invalid message$/],
    [
      "prints garbage is not read on",
      'for (;;) writeSync(1, "garbage ".repeat(1000));',
      unknown,
      /^sent an invalid message$/,
    ],
    [
      "announces four gigabytes is not read on",
      "writeSync(1, new Uint8Array(8).fill(255)); for (;;);",
      unknown,
      /^sent an invalid message$/,
    ],
    [
      "says no JSON is not read on",
      "writeSync(1, new Uint8Array([0, 0, 0, 1, 0, 0, 0, 0, 33])); for (;;);",
      unknown,
      /^sent an invalid message$/,
    ],
    [
      "asks for other bytes than the file's gets none",
      'say({ say: "read", offset: -1, length: 9 }); for (;;);',
      unknown,
      /^sent an invalid message$/,
    ],
    [
      "asks for too much gets none",
      'say({ say: "read", offset: 0, length: 2 ** 30 }); for (;;);',
      unknown,
      /^sent an invalid message$/,
    ],
    [
      "lies about the type is not believed",
      'say({ say: "found", found: { mime: "a/b\\r\\nx: y", kind: "image" } });',
      unknown,
      /^sent an invalid message$/,
    ],
  ];
  for (const [does, script, expected, reason] of misdeeds)
    test(does, async () => {
      const { command, pid } = await child(script);
      const probe = open({ command, limits: script.endsWith("for (;;);") ? { childMs: 2000 } : {} });
      expect(await probe.inspect(png)).toEqual(asInspection(expected));
      expect(isAlive(pid())).toBe(false);
      expect(probe.logged.map(({ fields }) => fields.reason)).toEqual([expect.stringMatching(reason)]);
    });

  test("cannot be started throws nothing", async () => {
    const probe = open({ command: [join(folder.path, "nothing")] });
    expect(await probe.inspect(png)).toEqual(asInspection(unknown));
    expect(await probe.thumbnail(png, await look(made.png(60, 40)))).toBeNull();
    expect((await probe.helpers())[0]).toMatchObject({ name: "probe", version: null });
    expect(probe.logged).toHaveLength(3);
  });

  test.skipIf(!existsSync("/proc/self/status"))("takes too much memory is killed early", async () => {
    const said = join(folder.path, "grown");
    const { command, pid } = await child(
      `${typed} const kept = [];
       for (let count = 1; ; count++) {
         kept.push(new Uint8Array(2 ** 20).fill(count));
         writeFileSync(${JSON.stringify(said)}, String(count));
         Bun.sleepSync(1);
       }`,
    );
    const probe = open({ command });
    expect(await probe.inspect(png)).toEqual(asInspection(["image/png", "image"]));
    expect(isAlive(pid())).toBe(false);
    expect(probe.logged.map(({ fields }) => fields.reason)).toEqual(["exceeded its memory limit"]);
    expect(Number(readFileSync(said, "utf8"))).toBeLessThan(320);
  });

  test.skipIf(!isFenced)("has a CPU limit of twice its working time", async () => {
    const words = await resourceLimits(limits.childBytes);
    for (const workMs of [limits.childMs, limits.bundleMs]) {
      const said = Bun.spawnSync([
        ...words(workMs),
        "prlimit",
        "--cpu",
        "--output",
        "SOFT,HARD",
        "--raw",
        "--noheadings",
      ]).stdout;
      expect(said.toString().trim()).toBe(`${workMs / 500} ${workMs / 500}`);
    }
  });

  test.skipIf(!isFenced)("hangs dies with a killed server", async () => {
    const { command, pid } = await child("setInterval(() => {}, 1_000_000);");
    const script = `import { openProbe } from ${JSON.stringify(join(root, "src/probe/probe.ts"))};
      const probe = openProbe({ command: ${JSON.stringify(command)}, log() {}, limits: { childMs: 60_000, sourceMs: 60_000 } });
      await probe.inspect({ size: 1, read: async () => new Uint8Array(1) });`;
    const server = Bun.spawn([process.execPath, "-e", script], { stdio: ["ignore", "ignore", "inherit"] });
    await until(() => existsSync(`${must(command[1])}.pid`) && isAlive(pid()), "the child runs");
    server.kill("SIGKILL");
    await server.exited;
    await until(() => !isAlive(pid()), "the child is gone as well");
  });

  test("returns something other than a thumbnail makes none", async () => {
    for (const body of [
      'Buffer.from("<script>")',
      'Buffer.concat([Buffer.from("RIFF0000WEBP"), new Uint8Array(300_000)])',
    ]) {
      const { command } = await child(`say({ say: "done" }, ${body}); for (;;);`);
      expect(await open({ command }).thumbnail(png, await look(made.png(60, 40)))).toBeNull();
    }
  });

  test("runs without environment, in an empty folder that is deleted afterwards", async () => {
    const said = join(folder.path, "surroundings");
    const { command } = await child(
      `const { readdirSync } = await import("node:fs");
       const inside = [Object.keys(process.env).filter((name) => name !== "PWD"), process.cwd(), readdirSync(".")];
       writeFileSync(${JSON.stringify(said)}, JSON.stringify(inside));`,
    );
    await open({ command }).inspect(png);
    const [names, cwd, files] = JSON.parse(readFileSync(said, "utf8"));
    expect([names, files]).toEqual([[], []]);
    expect([dirname(cwd), existsSync(cwd)]).toEqual([realpathSync(tmpdir()), false]);
  });
});

describe("a caller", () => {
  test("reads little of a large file", async () => {
    const bytes = made.bytes(made.mp4());
    const size = 2 ** 40;
    let asked = 0;
    const source: FileSource = {
      size,
      async read(offset, length) {
        asked += length;
        const part = new Uint8Array(length);
        part.set(bytes.subarray(offset, offset + length));
        return part;
      },
    };
    const large = made.mp4();
    // The data box has no size, so it reaches to the end of the file.
    bytes.set(made.be32(0), Buffer.from(large).indexOf("mdat") - 4);
    expect(await probe.inspect(source)).toEqual(asInspection(["video/mp4", "video", 64, 48, 1000]));
    expect(asked).toBeLessThan(4 * 2 ** 20);
  });

  test("is limited in its reads", () => {
    let asked = 0;
    const ask = (_offset: number, length: number) => {
      asked += length;
      return new Uint8Array(length);
    };
    const file = blockReader(2 ** 40, 2 ** 23, ask);
    const readOn = () => {
      for (let at = 0; ; at += 1000) file.read(at, 1000);
    };
    expect(readOn).toThrow(RangeError);
    expect(asked).toBe(2 ** 23);
  });

  test("gets the error of its source, and the child is killed", async () => {
    const source: FileSource = { size: 9, read: () => Promise.reject(new Error("the store is away")) };
    const { command, pid } = await child('say({ say: "read", offset: 0, length: 9 }); for (;;);');
    for (const by of [probe, open({ command })]) {
      await expect(by.inspect(source)).rejects.toThrow("the store is away");
      await expect(by.thumbnail(source, asInspection(["image/png", "image", 1, 1]))).rejects.toThrow(
        "the store is away",
      );
    }
    expect(isAlive(pid())).toBe(false);
    expect(probe.logged).toEqual([]);
  });

  test("does not charge a slow source to the child's working time", async () => {
    const bytes = made.png(60, 40);
    const { promise, resolve } = Promise.withResolvers<void>();
    const patient = open({ limits: { childMs: 2000 } });
    const source: FileSource = {
      size: bytes.length,
      read: (offset, length) => promise.then(() => bytes.subarray(offset, offset + length)),
    };
    const found = patient.inspect(source);
    await Bun.sleep(2500); // longer than a child may work
    resolve();
    expect(await found).toEqual(asInspection(["image/png", "image", 60, 40]));
  });

  test("waits no longer than the total time limit", async () => {
    const never = new Promise<Uint8Array>(() => {});
    const { command, pid } = await child(`${typed} say({ say: "read", offset: 0, length: 9 }); for (;;);`);
    const probe = open({ command, limits: { sourceMs: 2000 }, path: await helper("pdftoppm", "exit 1") });
    expect(await probe.inspect({ size: 9, read: () => never })).toEqual(asInspection(["image/png", "image"]));
    expect(isAlive(pid())).toBe(false);
    expect(
      await probe.thumbnail({ size: 9, read: () => never }, asInspection(["application/pdf", "pdf"])),
    ).toBeNull();
    expect(probe.logged.map(({ fields }) => fields.reason)).toEqual(["exceeded its total time limit"]);
  });

  test("queues: no more files are inspected than there are cores", async () => {
    const bytes = made.png(60, 40);
    let [inside, most] = [0, 0];
    const gate = Promise.withResolvers<void>();
    const source = (): FileSource => {
      let isFirst = true;
      return {
        size: bytes.length,
        async read(offset, length) {
          if (isFirst) most = Math.max(most, ++inside);
          isFirst = false;
          if (most === availableParallelism()) gate.resolve();
          await gate.promise;
          return bytes.subarray(offset, offset + length);
        },
      };
    };
    const found = Array.from({ length: 3 * availableParallelism() }, async () => {
      await probe.inspect(source());
      inside--;
    });
    await Promise.all(found);
    expect(most).toBe(availableParallelism());
  });

  test("that waited too long in the queue gets a 503", async () => {
    const queue = new Queue(1, 20);
    const { promise, resolve } = Promise.withResolvers<string>();
    const first = queue.run(() => promise);
    expect(queue.run(async () => "second")).rejects.toMatchObject({
      status: 503,
      headers: { "retry-after": expect.any(String) },
    });
    await Bun.sleep(40);
    const third = queue.run(async () => "third");
    resolve("first");
    expect(await Promise.all([first, third])).toEqual(["first", "third"]);
    expect(await queue.run(async () => "fourth")).toBe("fourth");
  });

  test("uses little memory while children unpack bombs", async () => {
    const bombs = [profileBomb(), textBomb(), blackPng(12_000, 12_000)].map(bytesSource);
    const goOff = () =>
      Promise.all(bombs.map(async (bomb) => probe.thumbnail(bomb, await probe.inspect(bomb))));
    await goOff();
    Bun.gc(true);
    const before = process.memoryUsage.rss();
    await goOff();
    Bun.gc(true);
    expect(process.memoryUsage.rss() - before).toBeLessThan(64 * 2 ** 20);
  });
});

test("nothing stays in the temporary folder, and folders of a killed server are deleted", async () => {
  const left = async () => (await readdir(folder.path)).filter((name) => name.startsWith("svc-probe-"));
  // of the server that was killed above
  for (const name of await left()) await rm(join(folder.path, name), { recursive: true });
  const [old, recent] = [join(folder.path, "svc-probe-old"), join(folder.path, "svc-probe-recent")];
  for (const path of [old, recent]) {
    await mkdir(path);
    await writeFile(join(path, "copy"), "bytes");
  }
  const twoHoursAgo = Date.now() / 1000 - 7200;
  await utimes(old, twoHoursAgo, twoHoursAgo);
  await open().inspect(png);
  expect(await left()).toEqual(["svc-probe-recent"]);
});

describe("messages", () => {
  const said = ["", "a", "bc".repeat(300), "", "d"].map((body, number) => ({
    head: { say: "bytes", number },
    body: Buffer.from(body),
  }));
  const sent = Buffer.concat(said.map(({ head, body }) => encodeFrame(head, body)));

  test("are the same in any chunks", () => {
    for (const length of [1, 2, 7, 8, 9, 50, 600, sent.length]) {
      const reader = new FrameReader(limits.frameBytes);
      const heard = [];
      for (let at = 0; at < sent.length; at += length) {
        reader.push(sent.subarray(at, at + length));
        for (let frame = reader.next(); frame; frame = reader.next())
          heard.push({ head: frame.head, body: Buffer.from(frame.body) });
      }
      expect(heard).toEqual(said);
    }
  });

  test("that declare too much are rejected immediately, and none is read after an invalid one", () => {
    const reader = new FrameReader(16);
    reader.push(made.bytes([0, 0, 0, 1], [0, 0, 0, 16]));
    expect(() => reader.next()).toThrow("too long");
    const broken = new FrameReader(99);
    broken.push(made.bytes([0, 0, 0, 1], [0, 0, 0, 0], "?", encodeFrame({})));
    for (let attempt = 0; attempt < 2; attempt++) expect(() => broken.next()).toThrow();
  });
});
