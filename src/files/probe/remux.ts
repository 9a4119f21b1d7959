/** A copy of a video or audio file without its metadata, by ffmpeg: no frame is decoded. */
import { existsSync } from "node:fs";
import { demuxers, findProgram, quietly } from "./helper-programs.ts";
import type { FileSource } from "./port.ts";
import type { ImageTools } from "./sandbox/process-runner.ts";
import { withTempFolder } from "./sandbox/temp-folder.ts";
import { copyToFile } from "./source.ts";

/** ffmpeg's muxer of each container that can be written again. */
const muxers = new Map([
  ["video/mp4", "mp4"],
  ["video/x-m4v", "mp4"],
  ["video/quicktime", "mov"],
  ["video/webm", "webm"],
  ["video/matroska", "matroska"],
  ["audio/mp4", "ipod"],
  ["audio/webm", "webm"],
  ["audio/matroska", "matroska"],
  ["audio/mpeg", "mp3"],
  ["audio/wav", "wav"],
  ["audio/ogg", "ogg"],
  ["audio/flac", "flac"],
]);

/** Streams of data are left out, such as where a camera was. `bitexact`: no name of a program is added. */
const copyWords =
  "-map 0:v? -map 0:a? -map 0:s? -dn -map_metadata -1 -map_chapters -1 -c copy " +
  "-fflags +bitexact -flags +bitexact";

/** The result of `use`; null without ffmpeg, or if it cannot copy this file. */
export async function withRemuxed<T>(
  { run, path, bounds, log }: Omit<ImageTools, "command">,
  source: FileSource,
  mime: string,
  use: (path: string) => Promise<T>,
): Promise<T | null> {
  const program = findProgram("ffmpeg", path);
  const [demuxer, muxer] = [demuxers.get(mime), muxers.get(mime)];
  if (!program || !demuxer || !muxer) return null;
  return withTempFolder(async (folder) => {
    const [input, output] = [`${folder}/in`, `${folder}/out`];
    if (!(await copyToFile(source, input, { timeMs: bounds.sourceMs, log }))) return null;
    const command = [
      ...[...quietly(program), "-protocol_whitelist", "file"],
      ...["-f", demuxer, "-i", `file:${input}`, ...copyWords.split(" "), "-f", muxer, `file:${output}`],
    ];
    const isDone = await run(command, folder, "remux", async (running) => {
      await running.readAll(0);
      return running.exitCode === 0 && existsSync(output) ? true : null;
    });
    return isDone && use(output);
  });
}
