/**
 * Size and duration of MPEG program and elementary streams, and of transport streams of MPEG-2 video, which
 * mediabunny does not read (ISO/IEC 11172-1 and -2, 13818-1 and -2).
 */
import type { BlockReader } from "../bytes.ts";
import { int32OrNull } from "../kind.ts";
import type { Measures } from "./containers.ts";

/** Bytes that are read at the beginning and at the end. */
const spanBytes = 512 * 1024;
const startCode = Buffer.from([0, 0, 1]);
const [pictureCode, sequenceCode, extensionCode] = [0, 0xb3, 0xb5];
const clockRate = 90_000;
/** By the code of a sequence: frames per second, and of MPEG-2 the width of the shown image by its height. */
const frameRates = [24_000 / 1001, 24, 25, 30_000 / 1001, 30, 50, 60_000 / 1001, 60];
const aspects: Record<number, number> = { 2: 4 / 3, 3: 16 / 9, 4: 2.21 };

export function readMpeg(file: BlockReader): Measures {
  const head = Buffer.from(file.read(0, spanBytes));
  const tail = Buffer.from(file.read(Math.max(0, file.size - spanBytes), spanBytes));
  const sequence = findSequence(head);
  const first = Math.min(...packetsIn(head).map(({ time }) => time));
  const last = packetsIn(tail).at(-1);
  const rest = last && sequence?.rate ? picturesIn(tail.subarray(last.at)) / sequence.rate : 0;
  const seconds = last ? (last.time - first) / clockRate + rest : 0;
  return {
    width: sequence?.width ?? null,
    height: sequence?.height ?? null,
    duration_ms: int32OrNull(Math.round(seconds * 1000)) || null,
  };
}

function* startCodes(bytes: Buffer): Generator<number> {
  for (let at = bytes.indexOf(startCode); at >= 0; at = bytes.indexOf(startCode, at + 3)) yield at;
}

function findSequence(bytes: Buffer): { width: number; height: number; rate: number | undefined } | null {
  for (const at of startCodes(bytes)) {
    if (bytes[at + 3] !== sequenceCode || at + 12 > bytes.length) continue;
    const sides = bytes.readUIntBE(at + 4, 3);
    const [stored, height, codes] = [sides >> 12, sides & 0xfff, bytes[at + 7] as number];
    const next = bytes.indexOf(startCode, at + 12);
    const aspect = next >= 0 && bytes[next + 3] === extensionCode ? aspects[codes >> 4] : undefined;
    const width = aspect ? Math.round(height * aspect) : stored;
    if (width > 0 && height > 0) return { width, height, rate: frameRates[(codes & 15) - 1] };
  }
  return null;
}

const picturesIn = (bytes: Buffer): number =>
  [...startCodes(bytes)].filter((at) => bytes[at + 3] === pictureCode).length;

/** The packets of video and audio that say their time, in units of the clock. */
function packetsIn(bytes: Buffer): { at: number; time: number }[] {
  return [...startCodes(bytes)].flatMap((at) => {
    const stream = bytes[at + 3] as number;
    if (stream !== 0xbd && (stream < 0xc0 || stream > 0xef)) return [];
    const time = at + 40 <= bytes.length ? timeIn(bytes.subarray(at + 6, at + 40)) : null;
    return time === null ? [] : [{ at, time }];
  });
}

/** The time in a header of MPEG-2, or of MPEG-1, which may begin with padding. */
function timeIn(header: Buffer): number | null {
  let at = 3;
  if ((header[0] as number) >> 6 === 2) {
    if (((header[1] as number) & 0x80) === 0) return null;
  } else {
    at = header.findIndex((byte) => byte !== 0xff);
    if (at < 0) return null;
    if ((header[at] as number) >> 6 === 1) at += 2;
  }
  const [high = 0, , middle = 0, , low = 0] = header.subarray(at);
  const hasMarks = (high & 0xe1) === 0x21 && middle & low & 1;
  if (!hasMarks || at + 5 > header.length) return null;
  return (
    ((high >> 1) & 7) * 2 ** 30 +
    (header.readUInt16BE(at + 1) >> 1) * 2 ** 15 +
    (header.readUInt16BE(at + 3) >> 1)
  );
}
