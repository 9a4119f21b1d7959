/** The waveform of a WAV file: the lowest and highest sample of equal parts, without a decoder. */
import type { BlockReader } from "../bytes.ts";
import { limits } from "../limits.ts";

/** Parts of a waveform, about one for each pixel. */
export const peakPairs = 1_000;
/** Of a file with more data, fewer parts are read, and only one block of each. */
const wholeBytesMax = 48 * 2 ** 20;
const sampledPairs = 64;
/** Chunks to skip before the data. */
const chunksMax = 64;

interface SampleFormat {
  /** Of a frame: one sample of each channel. */
  frameBytes: number;
  sampleBytes: number;
  /** The sample at an offset, from -1 to 1. */
  read(view: DataView, at: number): number;
}

/**
 * Returns pairs of the lowest and highest sample of all channels, from -127 to 127; null for a file without
 * samples, or with samples in another format than PCM or floating point.
 */
export function wavPeaks(file: BlockReader): number[] | null {
  const found = findSamples(file);
  if (!found) return null;
  const { format, start, frames } = found;
  const isWhole = frames * format.frameBytes <= wholeBytesMax;
  const pairs = Math.min(isWhole ? peakPairs : sampledPairs, frames);
  const peaks: number[] = [];
  for (let pair = 0; pair < pairs; pair++) {
    const offset = (index: number) => start + Math.floor((index * frames) / pairs) * format.frameBytes;
    const [from, to] = [offset(pair), offset(pair + 1)];
    const part = isWhole ? { from, to } : oneBlock(from, start, format);
    peaks.push(...peaksOf(file.read(part.from, part.to - part.from), format));
  }
  return peaks;
}

/** The samples of the first whole block after an offset: of a part that is larger than two blocks. */
function oneBlock(from: number, start: number, { sampleBytes }: SampleFormat): { from: number; to: number } {
  const { blockBytes } = limits;
  const block = Math.ceil(from / blockBytes) * blockBytes;
  const first = block + ((sampleBytes - ((block - start) % sampleBytes)) % sampleBytes);
  return { from: first, to: block + blockBytes };
}

function peaksOf(bytes: Uint8Array, { sampleBytes, read }: SampleFormat): [low: number, high: number] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let [low, high] = [0, 0];
  for (let at = 0; at + sampleBytes <= bytes.length; at += sampleBytes) {
    const sample = read(view, at);
    if (sample < low) low = sample;
    else if (sample > high) high = sample;
  }
  return [toInt8(low), toInt8(high)];
}

/** A floating-point sample may be of any size. */
const toInt8 = (sample: number): number => Math.round(Math.min(1, Math.max(-1, sample)) * 127) || 0;

/** Sizes that the file claims are cut to those it has: a recorder that was stopped leaves 0 or 2^32 - 1. */
function findSamples(file: BlockReader): { format: SampleFormat; start: number; frames: number } | null {
  let format: SampleFormat | null = null;
  let at = 12;
  for (let chunk = 0; chunk < chunksMax && at + 8 <= file.size; chunk++) {
    const header = Buffer.from(file.read(at, 8));
    const [name, size] = [header.toString("latin1", 0, 4), header.readUInt32LE(4)];
    const start = at + 8;
    if (name === "fmt ") format = readFormat(Buffer.from(file.read(start, Math.min(size, 40))));
    if (name === "data") {
      const length = size === 0 || start + size > file.size ? file.size - start : size;
      const frames = format ? Math.floor(length / format.frameBytes) : 0;
      return format && frames > 0 ? { format, start, frames } : null;
    }
    at = start + size + (size % 2);
  }
  return null;
}

const extensible = 0xfffe;

/** The `fmt ` chunk (Microsoft, "Multiple Channel Audio Data and WAVE Files"). */
function readFormat(chunk: Buffer): SampleFormat | null {
  if (chunk.length < 16) return null;
  const named = chunk.readUInt16LE(0);
  const code = named === extensible && chunk.length >= 26 ? chunk.readUInt16LE(24) : named;
  const [channels, bits] = [chunk.readUInt16LE(2), chunk.readUInt16LE(14)];
  const read = readers[`${code}/${bits}`];
  const sampleBytes = bits / 8;
  return read && channels > 0 ? { frameBytes: channels * sampleBytes, sampleBytes, read } : null;
}

/** By format code, 1 for PCM and 3 for floating point, and bits. */
const readers: Record<string, SampleFormat["read"]> = {
  "1/8": (view, at) => (view.getUint8(at) - 128) / 128,
  "1/16": (view, at) => view.getInt16(at, true) / 2 ** 15,
  "1/24": (view, at) => (view.getInt16(at + 1, true) * 256 + view.getUint8(at)) / 2 ** 23,
  "1/32": (view, at) => view.getInt32(at, true) / 2 ** 31,
  "3/32": (view, at) => view.getFloat32(at, true),
  "3/64": (view, at) => view.getFloat64(at, true),
};
