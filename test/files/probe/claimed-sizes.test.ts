/** Measures of audio, video and images that claim more than they are. */
import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { walkGif } from "../../../src/files/probe/images/gif.ts";
import { walkWebp } from "../../../src/files/probe/images/webp.ts";
import { bytesSource } from "../../../src/files/probe/source.ts";
import {
  blackPng,
  boxSize,
  changed,
  manyComments,
  manyScans,
  profileBomb,
  textBomb,
} from "../../support/assets/hostile-files.ts";
import * as made from "../../support/assets/media.ts";
import {
  asInspection,
  cut,
  describeFiles,
  type Expected,
  expectThumbnail,
  type Made,
  open,
  root,
} from "../../support/assets/test-probe.ts";
import { useTemporaryFolder } from "../../support/use-temporary-folder.ts";

useTemporaryFolder();

/** Frames of MPEG-1 Layer III by turns: 128 kbit/s, 417 bytes, and 32 kbit/s, 104 bytes; 1152 samples each. */
const turns = made.bytes(
  ...Array(50).fill(
    made.bytes([0xff, 0xfb, 0x90, 0], new Uint8Array(413), [0xff, 0xfb, 0x10, 0], new Uint8Array(100)),
  ),
);
const apeTag = made.bytes("x".repeat(2000), "APETAGEX", new Uint8Array(24));
const wav = made.wav(1);
describeFiles("a duration is what is heard and seen, not what a first frame or clock suggests", [
  ["frames of two sizes", () => turns, ["audio/mpeg", "audio", null, null, 2612]],
  [
    "tags around the frames",
    () =>
      made.bytes(
        "ID3",
        [4, 0, 0, 0, 0, 2, 0],
        new Uint8Array(256),
        turns,
        apeTag,
        "TAG",
        new Uint8Array(125),
      ),
    ["audio/mpeg", "audio", null, null, 2612],
  ],
  [
    "a gap between frames",
    () => made.bytes(turns, new Uint8Array(100), turns),
    ["audio/mpeg", "audio", null, null, 5224],
  ],
  [
    "a transport stream whose clock starts late",
    () => Bun.file(join(root, "test/support/clips/late.m2t")).bytes(),
    ["video/mp2t", "video", 64, 48, 1000],
  ],
  ["WAV beyond 4 GB, as recorders write it", longWav, ["audio/wav", "audio", null, null, 1000]],
]);

const clip = (name: string) => Bun.file(join(root, "test/support/clips/containers", name)).bytes();
const video = [64, 48, 1000] as const;
describeFiles("containers and codecs of recorders, cameras and old players have their measures", [
  ["ADPCM in WAV", () => clip("adpcm.wav"), ["audio/wav", "audio", null, null, 510]],
  ["MP3 in WAV", () => clip("mp3.wav"), ["audio/wav", "audio", null, null, 525]],
  ["FLAC in Ogg", () => clip("flac.ogg"), ["audio/ogg", "audio", null, null, 500]],
  ["AIFF", () => clip("short.aiff"), ["audio/aiff", "audio", null, null, 100]],
  ["CAF of packets", () => clip("alac.caf"), ["audio/x-caf", "audio", null, null, 512]],
  ["CAF of samples", () => clip("pcm.caf"), ["audio/x-caf", "audio", null, null, 100]],
  ["WMA", () => clip("sound.wma"), ["audio/x-ms-asf", "audio", null, null, 510]],
  ["AC-3", () => clip("sound.ac3"), ["audio/vnd.dolby.dd-raw", "audio", null, null, 523]],
  ["a voice note in AMR", () => clip("note.amr"), ["audio/amr", "audio", null, null, 520]],
  ["a voice note in 3GP", () => clip("note.3gp"), ["audio/3gpp", "audio", null, null, 500]],
  ["FLV", () => clip("x.flv"), ["video/x-flv", "video", ...video]],
  ["WMV", () => clip("x.wmv"), ["video/x-ms-asf", "video", ...video]],
  ["OGV, whose coded size is larger", () => clip("x.ogv"), ["video/ogg", "video", 60, 42, 1000]],
  ["MPEG-1", () => clip("mpeg1.mpg"), ["video/mp1s", "video", ...video]],
  ["MPEG-2", () => clip("mpeg2.mpg"), ["video/mp2p", "video", ...video]],
  ["a transport stream of MPEG-2 without sound", () => clip("silent.m2t"), ["video/mp2t", "video", ...video]],
  [
    "a transport stream of a camera, with times",
    () => clip("camera.m2ts"),
    ["video/mp2t", "video", 64, 48, 1040],
  ],
]);

const cutFrames = turns.subarray(100);
const apeFront = made.bytes("APETAGEX", made.le32(2000), made.le32(32), new Uint8Array(16 + 32));
describeFiles("an MP3 is known by its frames, whatever comes before them", [
  ["the rest of a frame", () => cutFrames, ["audio/mpeg", "audio", null, null, 2586]],
  ["zeros", () => made.bytes(new Uint8Array(5000), turns), ["audio/mpeg", "audio", null, null, 2612]],
  ["an APE tag", () => made.bytes(apeFront, turns), ["audio/mpeg", "audio", null, null, 2612]],
  [
    "an empty ID3 tag and zeros",
    () => made.bytes("ID3", [4, 0, 0, 0, 0, 0, 0], new Uint8Array(3000), turns),
    ["audio/mpeg", "audio", null, null, 2612],
  ],
  [
    "too few frames to be sure",
    () => made.bytes(new Uint8Array(9), turns.subarray(0, 900)),
    ["application/octet-stream", "file"],
  ],
]);

/** RF64: its sizes are in a chunk of their own (EBU Tech 3306). */
function longWav(): Uint8Array {
  const sizes = [wav.length + 28, wav.length - 44, 0].flatMap((size) => [made.le32(size), made.le32(0)]);
  const unsized = made.wav(1, { dataSize: 0xffffffff }).subarray(12);
  return made.bytes(
    "RF64",
    made.le32(0xffffffff),
    "WAVEds64",
    made.le32(28),
    ...sizes,
    made.le32(0),
    unsized,
  );
}

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

describe("a damaged file keeps no parser busy", () => {
  const adts = (...lengths: number[]) => made.bytes(...lengths.map(made.adtsFrame));
  const webm = made.webm();
  const withoutSize = async (id: number[]) =>
    changed(await webm, Buffer.from(await webm).indexOf(Buffer.from(id)) + id.length, made.be32(0));
  const files: [name: string, bytes: () => Made, expected: Expected][] = [
    ["a FLAC", () => made.flac(6, { samples: 0 }), ["audio/flac", "audio", null, null, 557]],
    ["a FLAC with a sample rate of 0", () => made.flac(6, { sampleRate: 0 }), ["audio/flac", "audio"]],
    [
      "one that does not say how long it is either",
      () => made.flac(6, { sampleRate: 0, samples: 0 }),
      ["audio/flac", "audio"],
    ],
    ["a FLAC without a frame", () => made.flac(0), ["audio/flac", "audio"]],
    ["AAC", () => adts(32, 32, 32), ["audio/aac", "audio", null, null, 70]],
    ["AAC with a frame of no bytes", () => adts(32, 0, 32), ["audio/aac", "audio"]],
    [
      "a WebM whose information has no size",
      () => withoutSize([0x15, 0x49, 0xa9, 0x66]),
      ["video/webm", "file"],
    ],
    ["a WebM whose tracks have no size", () => withoutSize([0x16, 0x54, 0xae, 0x6b]), ["video/webm", "file"]],
    ["a WebM whose cluster has no size", () => withoutSize([0x1f, 0x43, 0xb6, 0x75]), ["video/webm", "file"]],
  ];
  for (const [name, bytes, expected] of files)
    test(name, async () => {
      const probe = open();
      expect(await probe.inspect(bytesSource(made.bytes((await bytes()) as Uint8Array)))).toEqual(
        asInspection(expected),
      );
      expect(probe.logged).toEqual([]); // no child was killed
    });
});

describe("images that unpack to more than they are (F41)", () => {
  const bombs: [name: string, bytes: () => Made, expected: Expected, thumbnail: [number, number] | null][] = [
    ["30000 by 30000 pixels", () => blackPng(30_000, 30_000), ["image/png", "file"], null],
    [
      "196 megapixels are measured and not decoded",
      () => blackPng(14_000, 14_000),
      ["image/png", "image", 14_000, 14_000],
      null,
    ],
    ["a colour profile of 512 MB", profileBomb, ["image/png", "image", 60, 40], [60, 40]],
    ["a text of 512 MB", textBomb, ["image/png", "image", 60, 40], [60, 40]],
    ["100 scans", () => manyScans(100), ["image/jpeg", "image", 60, 40], [60, 40]],
    ["20000 scans", () => manyScans(20_000), ["image/jpeg", "file"], null],
    ["20000 frames", () => made.gif(9, 5, 20_000), ["image/gif", "image", 9, 5], [9, 5]],
    ["20000 comments", manyComments, ["image/jpeg", "image", 60, 40], [60, 40]],
  ];
  // A quarter of the usual limit: unpacking the bomb would exceed it.
  const watched = open({ limits: { childBytes: 64 * 2 ** 20 } });

  for (const [name, bytes, expected, size] of bombs)
    test(name, async () => {
      const source = bytesSource((await bytes()) as Uint8Array);
      const found = await watched.inspect(source);
      expect(found).toEqual(asInspection(expected));
      await expectThumbnail(await watched.thumbnail(source, { ...found, kind: "image" }), size);
      expect(watched.logged).toEqual([]);
    });

  test("a progressive photo, or a PNG, of up to 108 megapixels gets a thumbnail from a child with more memory", async () => {
    const probe = open();
    const photo = new Bun.Image(blackPng(8064, 6048), { maxPixels: 50e6 }).jpeg({ progressive: true });
    for (const bytes of [await photo.bytes(), blackPng(12_000, 9000)]) {
      const { inspection, thumbnail } = await probe.inspectWithThumbnail(bytesSource(bytes));
      expect(inspection.kind).toBe("image");
      await expectThumbnail(thumbnail, [512, 384]);
    }
    expect(probe.logged).toEqual([]);
  });

  test("40 megapixels are decoded within the ordinary limit", async () => {
    const probe = open(); // the shared one logs what other files did
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
