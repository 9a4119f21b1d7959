/** What a player shows of a file: the waveform of a WAV, the frame rate of a video, where its index is. */
import { describe, expect, test } from "bun:test";
import { bytesSource } from "../../../src/files/probe/source.ts";
import { rateOf } from "../../../src/files/probe/timeline/timeline.ts";
import { loadReadings } from "../../../src/library/assets/files/reading.ts";
import { boxSize } from "../../support/assets/hostile-files.ts";
import * as made from "../../support/assets/media.ts";
import { helper, open, probe } from "../../support/assets/test-probe.ts";
import { must } from "../../support/harness.ts";
import { file, openLibrary } from "../../support/library.ts";

const timelineOf = async (bytes: Uint8Array, mime = "audio/wav") =>
  probe.timeline(bytesSource(made.bytes(bytes)), mime);
const peaksOf = async (bytes: Uint8Array) => must(await timelineOf(bytes)).peaks;

interface Sound {
  code?: number;
  bits?: number;
  channels?: number;
  /** Claimed size of the data. */
  size?: number;
}

/** A WAV of these bytes as samples. */
function wav(data: Uint8Array, { code = 1, bits = 16, channels = 1, size = data.length }: Sound = {}) {
  const { le16, le32 } = made;
  const format = [
    le16(code),
    le16(channels),
    le32(8000),
    le32(8000),
    le16(channels * (bits / 8)),
    le16(bits),
  ];
  return made.bytes(
    "RIFF",
    le32(36 + data.length),
    "WAVEfmt ",
    le32(16),
    ...format,
    "data",
    le32(size),
    data,
  );
}

describe("the waveform of a WAV file", () => {
  test("has the lowest and the highest sample of each part, in every sample format", async () => {
    const ramp = [-1, 1, -0.5, 0.25];
    const cases: [sound: Sound, data: Uint8Array][] = [
      [{ bits: 8 }, Uint8Array.from(ramp, (value) => Math.min(255, 128 + 128 * value))],
      [{ bits: 16 }, bytesOf(Int16Array.from(ramp, (value) => Math.min(32767, 32768 * value)))],
      [{ bits: 32 }, bytesOf(Int32Array.from(ramp, (value) => Math.min(2 ** 31 - 1, 2 ** 31 * value)))],
      [{ code: 3, bits: 32 }, bytesOf(Float32Array.from(ramp))],
      [{ code: 3, bits: 64 }, bytesOf(Float64Array.from(ramp))],
      [{ bits: 24 }, Uint8Array.of(0, 0, 0x80, 0xff, 0xff, 0x7f, 0, 0, 0xc0, 0, 0, 0x20)],
    ];
    for (const [sound, data] of cases) {
      expect(await peaksOf(wav(data, sound))).toEqual([
        -127,
        0,
        0,
        sound.bits === 8 ? 126 : 127,
        -63,
        0,
        0,
        32,
      ]);
      expect(await peaksOf(wav(data, { ...sound, channels: 2 }))).toEqual([
        -127,
        sound.bits === 8 ? 126 : 127,
        -63,
        32,
      ]);
    }
  });

  test("has 1,000 parts, or one for each sample", async () => {
    expect(must(await peaksOf(made.wav(2)))).toHaveLength(2000);
    expect(await peaksOf(wav(new Uint8Array(6)))).toEqual([0, 0, 0, 0, 0, 0]);
  });

  test("of a file of any size reads at most what a child may read", async () => {
    let bytesRead = 0;
    const head = wav(new Uint8Array(), { size: 2 ** 31 });
    const source = {
      size: 2 ** 31,
      async read(offset: number, length: number) {
        bytesRead += length;
        const bytes = new Uint8Array(length).fill(64);
        if (offset === 0) bytes.set(head);
        return bytes;
      },
    };
    const { peaks } = must(await probe.timeline(source, "audio/wav"));
    expect(must(peaks)).toHaveLength(128);
    expect(must(peaks).at(-1)).toBe(64);
    expect(bytesRead).toBeLessThanOrEqual(34 * 2 ** 20);
  });

  test("takes the samples that are there, whatever sizes a file claims", async () => {
    const data = bytesOf(Int16Array.from([32767, -32768]));
    for (const size of [0, 1, 2 ** 32 - 1])
      expect((await peaksOf(wav(data, { size }))) === null).toBe(size === 1);
    expect(await peaksOf(wav(data, { size: 2 ** 32 - 1 }))).toEqual([0, 127, -127, 0]);
    expect(await peaksOf(wav(data).subarray(0, 46))).toEqual([0, 127]);
  });

  test("is null for a damaged header and for compressed samples", async () => {
    for (const bytes of [
      wav(new Uint8Array(8)).subarray(0, 30),
      wav(new Uint8Array(8), { channels: 0 }),
      wav(new Uint8Array(8), { bits: 0 }),
      wav(new Uint8Array(8), { code: 2, bits: 4 }),
      made.bytes(
        "RIFF",
        made.le32(2 ** 32 - 1),
        "WAVE",
        ...Array(100).fill(made.bytes("junk", made.le32(0))),
      ),
      made.bytes("RIFF"),
    ])
      expect(await peaksOf(bytes)).toBeNull();
    expect(await peaksOf(wav(bytesOf(Float32Array.of(Number.NaN, 9, -9)), { code: 3, bits: 32 }))).toEqual([
      0, 0, 0, 127, -127, 0,
    ]);
  });
});

/** ffmpeg is a stub here, since it cannot be assumed on every machine. */
describe("the waveform of other audio", () => {
  const peaksBy = async (words: string, mime = "audio/mpeg") => {
    const { timeline } = open({ path: await helper("ffmpeg", words), limits: { sourceMs: 1500 } });
    return (await timeline(bytesSource(made.mp3(4)), mime))?.peaks;
  };
  const silence = "head -c 160000 /dev/zero";

  test("is of the samples that ffmpeg decodes from the container of its type", async () => {
    expect(await peaksBy("printf '\\377\\177\\000\\200'")).toEqual([-127, 127]);
    const loudAtEnd = await peaksBy(`${silence}; printf '\\377\\177'`);
    expect(loudAtEnd).toHaveLength(2_000);
    expect(must(loudAtEnd).findIndex((peak) => peak > 0)).toBe(1_999);
    const words = must(await peaksBy(`case "$*" in *"-f mp3 "*) ${silence};; esac`));
    expect(words.length).toBe(2_000);
  });

  test("is null if ffmpeg fails, hangs, or writes nothing, and for containers that it is not told", async () => {
    for (const words of [`${silence}; exit 1`, ":", "while :; do :; done"])
      expect(await peaksBy(words)).toBeUndefined();
    expect(await peaksBy(silence, "audio/midi")).toBeUndefined();
  });
});

const bytesOf = ({ buffer }: { buffer: ArrayBufferLike }): Uint8Array => new Uint8Array(buffer);

describe("the frame rate of a video", () => {
  const times = (perSecond: number, count: number, unit = 1e-6) =>
    Array.from({ length: count }, (_, at) => Math.round(at / perSecond / unit) * unit);

  test("is that of its container, in the form that annotations name it in", () => {
    expect(rateOf(times(25, 100))).toBe("25");
    expect(rateOf(times(30000 / 1001, 100))).toBe("30000/1001");
    expect(rateOf(times(24000 / 1001, 200, 0.001))).toBe("24000/1001");
    expect(rateOf(times(15, 30))).toBe("15");
    expect(rateOf(times(12.5, 60))).toBe("12500/1000");
  });

  test("is null if it varies, if frames stand still, and for too few frames", () => {
    expect(rateOf([0, 0.04, 0.08, 0.2, 0.24])).toBeNull();
    expect(rateOf([0, 0, 0, 0])).toBeNull();
    expect(rateOf([Number.NaN, 1, 2])).toBeNull();
    expect(rateOf(times(100_000, 90))).toBeNull();
    expect(rateOf([0, 0.04])).toBeNull();
    expect(rateOf([])).toBeNull();
  });

  test("is null for a damaged file, and for an audio file", async () => {
    for (const bytes of [made.mp4({ timescale: 0 }), boxSize(made.mp4(), "stbl", 9), made.bytes("nothing")])
      expect((await timelineOf(bytes, "video/mp4"))?.frame_rate ?? null).toBeNull();
    expect(await timelineOf(made.mp3(4), "audio/mpeg")).toBeNull();
  });
});

describe("the index of an MP4", () => {
  const box = (name: string, size = 8) => made.bytes(made.be32(size), name);
  const isLast = async (...boxes: Uint8Array[]) =>
    must(await timelineOf(made.bytes(...boxes), "video/mp4")).is_index_last;

  test("is last if the data comes first", async () => {
    expect(await isLast(box("ftyp"), box("mdat"), box("moov"))).toBe(true);
    expect(await isLast(box("ftyp"), box("moov"), box("mdat"))).toBe(false);
    const large = made.bytes(box("free", 1), made.be32(0), made.be32(16));
    expect(await isLast(box("ftyp"), large, box("mdat"), box("moov"))).toBe(true);
  });

  test("is found without reading on where sizes are wrong", async () => {
    for (const size of [0, 1, 7, 2 ** 32 - 1])
      expect(await isLast(box("free", size), box("mdat"))).toBe(false);
    expect(await isLast(box("ftyp"), made.bytes(box("free", 1), made.be32(2 ** 32 - 1), made.be32(0)))).toBe(
      false,
    );
    expect(await isLast()).toBe(false);
  });
});

test("a file that cannot be read is tried once, however many open its page", async () => {
  await using library = await openLibrary("sqlite", "disk");
  const asset = (await library.upload({ project: "atlas" }, file("a.mp4", made.bytes(made.mp4())))).body;
  let count = 0;
  const timeline = async () => {
    count++;
    await Bun.sleep(5);
    return null;
  };
  const ctx = { ...library.ctx, probe: { ...library.ctx.probe, timeline } };
  const open = async () => [...(await loadReadings(ctx, [asset, asset, null])).values()];
  const nothing = [{ timeline: null }];
  expect(await Promise.all([open(), open()])).toEqual([nothing, nothing]);
  expect([await open(), count]).toEqual([nothing, 1]);
});
