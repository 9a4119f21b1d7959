/** Decodes compressed audio with ffmpeg to samples of one channel. */
import { demuxers, findProgram, quietly } from "../helper-programs.ts";
import { limits } from "../limits.ts";
import type { FileSource } from "../port.ts";
import type { ImageTools } from "../sandbox/process-runner.ts";
import type { SandboxedProcess } from "../sandbox/sandboxed-process.ts";
import { withTempFolder } from "../sandbox/temp-folder.ts";
import { copyToFile } from "../source.ts";

const codecs =
  "mp3,mp3float,mp2,aac,alac,flac,vorbis,libvorbis,opus,libopus,pcm_s16le,pcm_s24le,pcm_s32le,pcm_f32le," +
  "pcm_s16be,pcm_mulaw,pcm_alaw,adpcm_ms,adpcm_ima_wav";
/** Enough for speech and music to look as they are, and to be told apart. */
export const samplesPerSecond = 8_000;

export type AudioTools = Omit<ImageTools, "command">;

interface Part {
  /** In seconds. */
  from: number;
  length: number;
}

/**
 * Gives `read` the samples as they arrive, with 16 bits each, the lower byte first. Null without ffmpeg, or
 * if it cannot decode.
 */
export async function decodeAudio<T>(
  { run, path, bounds, log }: AudioTools,
  { source, mime }: { source: FileSource; mime: string },
  { from, length }: Part,
  read: (program: SandboxedProcess) => Promise<T | null>,
): Promise<T | null> {
  const [program, demuxer] = [findProgram("ffmpeg", path), demuxers.get(mime)];
  if (!program || !demuxer || source.size > limits.copyBytes) return null;
  return withTempFolder(async (folder) => {
    const file = source.path ?? `${folder}/copy`;
    if (!source.path && !(await copyToFile(source, file, { timeMs: bounds.sourceMs, log }))) return null;
    const input = `-protocol_whitelist file -f ${demuxer} -codec_whitelist ${codecs} -threads 1`;
    // After the input: many formats have no index, and to seek in them by their size is to guess.
    const part = `-ss ${from} -t ${length} -map 0:a:0 -vn -sn -dn`;
    const output = `${part} -ac 1 -ar ${samplesPerSecond} -f s16le pipe:1`;
    const words = [...quietly(program), ...input.split(" "), "-i", `file:${file}`, ...output.split(" ")];
    return run(words, folder, "waveform", read);
  });
}

/** Whether the program ended as it should. */
export const hasEnded = ({ exitCode, failureReason }: SandboxedProcess): boolean =>
  exitCode === 0 && failureReason === null;
