/** The waveform of compressed audio: ffmpeg decodes it, and its samples are reduced as they arrive. */
import type { FileSource } from "../port.ts";
import type { SandboxedProcess } from "../sandbox/sandboxed-process.ts";
import { type AudioTools, decodeAudio, hasEnded, samplesPerSecond } from "./decode-audio.ts";
import { peakPairs } from "./wav.ts";

/** What is reduced to one pair first, as the length is not known before the end. */
const windowSamples = samplesPerSecond / 100;
const secondsMax = 4 * 3_600;

/** Pairs of the lowest and highest sample, from -127 to 127; null without ffmpeg, or if it cannot decode. */
export const decodePeaks = (tools: AudioTools, source: FileSource, mime: string): Promise<number[] | null> =>
  decodeAudio(tools, { source, mime }, { from: 0, length: secondsMax }, readPeaks);

async function readPeaks(program: SandboxedProcess): Promise<number[] | null> {
  const windows: [low: number, high: number][] = [];
  let [low, high, count] = [0, 0, 0];
  let odd: Uint8Array = new Uint8Array();
  for (let piece = await program.read(); piece; piece = await program.read()) {
    const bytes = odd.length > 0 ? Buffer.concat([odd, piece]) : piece;
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    let at = 0;
    for (; at + 2 <= bytes.length; at += 2) {
      const sample = view.getInt16(at, true);
      if (sample < low) low = sample;
      else if (sample > high) high = sample;
      if (++count % windowSamples !== 0) continue;
      windows.push([low, high]);
      [low, high] = [0, 0];
    }
    odd = bytes.slice(at);
  }
  if (count % windowSamples !== 0) windows.push([low, high]);
  return hasEnded(program) && count > 0 ? joined(windows) : null;
}

/** As many pairs as a waveform has pixels. */
function joined(windows: readonly [low: number, high: number][]): number[] {
  const pairs = Math.min(peakPairs, windows.length);
  return Array.from({ length: pairs }, (_, pair) => {
    const from = Math.floor((pair * windows.length) / pairs);
    const part = windows.slice(from, Math.floor(((pair + 1) * windows.length) / pairs));
    const low = Math.min(...part.map(([lowest]) => lowest));
    const high = Math.max(...part.map(([, highest]) => highest));
    return [Math.round((low / 32_768) * 127) || 0, Math.round((high / 32_768) * 127)];
  }).flat();
}
