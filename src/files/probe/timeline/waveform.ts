/** The waveform of compressed audio: ffmpeg decodes it, and its samples are reduced as they arrive. */
import { demuxers, findProgram, quietly } from "../helper-programs.ts";
import { limits } from "../limits.ts";
import type { FileSource } from "../port.ts";
import type { ImageTools } from "../sandbox/process-runner.ts";
import type { SandboxedProcess } from "../sandbox/sandboxed-process.ts";
import { withTempFolder } from "../sandbox/temp-folder.ts";
import { copyToFile } from "../source.ts";
import { peakPairs } from "./wav.ts";

const codecs =
  "mp3,mp3float,mp2,aac,alac,flac,vorbis,libvorbis,opus,libopus,pcm_s16le,pcm_s24le,pcm_s32le,pcm_f32le," +
  "pcm_s16be,pcm_mulaw,pcm_alaw,adpcm_ms,adpcm_ima_wav";
/** Enough for speech and music to look as they are. */
const samplesPerSecond = 8_000;
/** What is reduced to one pair first, as the length is not known before the end. */
const windowSamples = samplesPerSecond / 100;
const secondsMax = 4 * 3_600;

/** Pairs of the lowest and highest sample, from -127 to 127; null without ffmpeg, or if it cannot decode. */
export async function decodePeaks(
  { run, path, bounds, log }: Omit<ImageTools, "command">,
  source: FileSource,
  mime: string,
): Promise<number[] | null> {
  const [program, demuxer] = [findProgram("ffmpeg", path), demuxers.get(mime)];
  if (!program || !demuxer || source.size > limits.copyBytes) return null;
  return withTempFolder(async (folder) => {
    const file = source.path ?? `${folder}/copy`;
    if (!source.path && !(await copyToFile(source, file, { timeMs: bounds.sourceMs, log }))) return null;
    const input = `-protocol_whitelist file -f ${demuxer} -codec_whitelist ${codecs} -threads 1`;
    const output = `-map 0:a:0 -vn -sn -dn -ac 1 -ar ${samplesPerSecond} -t ${secondsMax} -f s16le pipe:1`;
    const words = [...quietly(program), ...input.split(" "), "-i", `file:${file}`, ...output.split(" ")];
    return run(words, folder, "waveform", readPeaks);
  });
}

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
  return program.exitCode === 0 && program.failureReason === null && count > 0 ? joined(windows) : null;
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
