/**
 * A still of an HEIF or AVIF image: a child takes its coded tiles out of the file, as streams of video, and
 * ffmpeg decodes and joins them. ffmpeg itself reads these containers only since version 7, and without their
 * alpha channel and color profile.
 */
import { checker } from "../../../core/lib/validate.ts";
import { scaledSize } from "../geometry.ts";
import { codecs, findProgram, quietly } from "../helper-programs.ts";
import { CodedImage } from "../images/coded-image.ts";
import { limits } from "../limits.ts";
import type { FileSource } from "../port.ts";
import { ChildConnection } from "../sandbox/parent-protocol.ts";
import type { ImageTools } from "../sandbox/process-runner.ts";
import { withTempFolder } from "../sandbox/temp-folder.ts";

interface HeifStill {
  png: Uint8Array;
  orientation: number;
}

/** Null without ffmpeg, or if it cannot decode the image. */
export async function captureHeif(
  { run, command, path }: ImageTools,
  source: FileSource,
  mime: string,
  side: number,
): Promise<HeifStill | null> {
  const program = findProgram("ffmpeg", path);
  if (!program) return null;
  return withTempFolder(async (folder) => {
    const coded = await run(command, folder, "heif", (child) =>
      receive(new ChildConnection(child, source, { work: "heif", size: source.size, mime }), folder),
    );
    if (!coded) return null;
    const { image, profileChunk } = coded;
    const png = await run(decodeCommand(program, folder, image, side), folder, "still", (running) =>
      running.readAll(limits.stillBytes),
    );
    if (!png || png.length === 0) return null;
    return { png: withChunk(png, profileChunk), orientation: image.orientation };
  });
}

const pngHeaderEnd = 33;

/** A PNG of ffmpeg with the chunk of a profile, which a child made. */
export const withChunk = (png: Uint8Array, chunk: Uint8Array = new Uint8Array()): Uint8Array =>
  Buffer.concat([png.subarray(0, pngHeaderEnd), chunk, png.subarray(pngHeaderEnd)]);

/** The files of the streams in the folder: of the colors, and of the alpha channel. */
const files = ["colors", "alpha"] as const;

/** Writes the streams to the folder. Null if the child cannot read the image. */
async function receive(
  child: ChildConnection,
  folder: string,
): Promise<{ image: CodedImage; profileChunk: Uint8Array } | null> {
  const writers = files.map((name) => Bun.file(`${folder}/${name}`).writer());
  let size = 0; // many tiles may have the same data
  try {
    for (let frame = await child.next(); frame; frame = await child.next()) {
      const { say, stream, image } = frame.head;
      if (say === "done")
        return checker(CodedImage).Check(image)
          ? { image: image as CodedImage, profileChunk: frame.body }
          : null;
      const writer = writers[Number(stream)];
      size += frame.body.length;
      if (say !== "bytes" || !writer || size > limits.copyBytes) return null;
      writer.write(frame.body);
      await writer.flush();
    }
    return null;
  } finally {
    for (const writer of writers) await writer.end();
  }
}

function decodeCommand(program: string, folder: string, image: CodedImage, side: number): string[] {
  const { demuxer, alpha, width, height, crop, matrix, isFullRange } = image;
  const input = `-protocol_whitelist file -f ${demuxer} -codec_whitelist ${codecs} -threads 1 -i`.split(" ");
  const inputs = files.slice(0, alpha ? 2 : 1).flatMap((name) => [...input, `file:${folder}/${name}`]);
  const size = scaledSize(crop, { max: side });
  const scale = [
    `scale=${size.width}:${size.height}`,
    ...(matrix ? [`in_color_matrix=${matrix}`] : []),
    ...(isFullRange === null ? [] : [`in_range=${isFullRange ? "pc" : "tv"}`]),
  ].join(":");
  const joined = ({ columns, rows }: { columns: number; rows: number }) =>
    [
      ...(columns * rows > 1 ? [`tile=${columns}x${rows}`, `crop=${width}:${height}:0:0`] : []),
      `crop=${crop.width}:${crop.height}`,
      scale,
    ].join();
  const graph = alpha
    ? `[0:v]${joined(image)},format=rgb24[colors];[1:v]${joined(alpha)},format=gray[alpha];` +
      "[colors][alpha]alphamerge"
    : joined(image);
  const output = "-frames:v 1 -filter_threads 1 -f image2pipe -c:v png -threads 1 pipe:1".split(" ");
  return [...quietly(program), ...inputs, "-filter_complex", graph, ...output];
}
