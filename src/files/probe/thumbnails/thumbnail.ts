/**
 * Thumbnails, and images with annotations drawn on them, for agents that see. A child process renders the
 * file, or a still of it that a helper program makes: of videos, PDFs, and images that svc does not decode.
 */

import { upright } from "../geometry.ts";
import { findProgram, type Still, stillCommands } from "../helper-programs.ts";
import { heifTypes } from "../images/coded-image.ts";
import { canParse } from "../images/image.ts";
import { type Inspection, programFor } from "../kind.ts";
import { limits } from "../limits.ts";
import type { FileSource, Mark, Moment, ThumbnailFormatName } from "../port.ts";
import { readThumbnail } from "../received.ts";
import type { Job } from "../sandbox/child.ts";
import type { Frame } from "../sandbox/message-frames.ts";
import { ChildConnection } from "../sandbox/parent-protocol.ts";
import type { ImageTools } from "../sandbox/process-runner.ts";
import { withTempFolder } from "../sandbox/temp-folder.ts";
import { bytesSource, copyToFile } from "../source.ts";
import { captureHeif, withChunk } from "./heif-still.ts";
import { annotatedFormat, thumbnailSide, uploadFormat } from "./thumbnail-format.ts";

interface ThumbnailTools extends ImageTools {
  format: ThumbnailFormatName;
}

/** What a file is about, for its thumbnail. */
const typicalStill = { side: thumbnailSide, t_ms: null, page: null };
/** Of the longer side of a still to draw on, in pixels. */
const annotatedSide = 1024;

/** The thumbnail of a file, or null if none can be made of its type. */
export async function makeThumbnail(
  tools: ThumbnailTools,
  source: FileSource,
  inspection: Inspection,
): Promise<Uint8Array | null> {
  const image = await decodableImage(tools, source, inspection, typicalStill);
  return image && renderImage(tools, image, { ...image.job, work: "thumbnail", format: tools.format });
}

export async function makeAnnotatedImage(
  tools: ImageTools,
  source: FileSource,
  inspection: Inspection,
  moment: Moment,
  marks: readonly Mark[],
): Promise<Uint8Array | null> {
  const image = await decodableImage(tools, source, inspection, { ...moment, side: annotatedSide });
  return (
    image && renderImage(tools, image, { ...image.job, work: "annotate", marks, format: annotatedFormat })
  );
}

interface DecodableImage extends FileSource {
  job: Pick<Job, "size" | "mime" | "orientation">;
}

/** The file itself, or a still of it; null without a program that makes one. */
async function decodableImage(
  tools: ImageTools,
  source: FileSource,
  inspection: Inspection,
  still: Omit<Still, "matrix">,
): Promise<DecodableImage | null> {
  const { kind, mime } = inspection;
  if (kind === "image" && canParse(mime)) return { ...source, job: { size: source.size, mime } };
  if (heifTypes.has(mime)) {
    const taken = await captureHeif(tools, source, mime, still.side);
    return taken && stillImage(taken.png, taken.orientation);
  }
  const colors = kind === "video" ? await ask(tools, source, "colors", mime) : null;
  const matrix = colors?.head.matrix === "bt709" ? colors.head.matrix : null;
  const png = await captureStill(tools, source, inspection, { ...still, matrix });
  if (!png) return null;
  if (kind !== "image") return stillImage(withChunk(png, colors?.body), upright);
  const found = (await ask(tools, source, "orientation", mime))?.head.orientation;
  const isValid = typeof found === "number" && found >= upright && found <= 8;
  return isValid ? stillImage(png, found) : null;
}

const stillImage = (png: Uint8Array, orientation: number): DecodableImage => ({
  ...bytesSource(png),
  job: { size: png.length, mime: "image/png", orientation },
});

/** What a child reads in a file that a helper program decodes. */
const ask = (
  { run, command }: ImageTools,
  source: FileSource,
  work: "orientation" | "colors",
  mime: string,
): Promise<Frame | null> =>
  withTempFolder((folder) =>
    run(command, folder, work, (program) =>
      new ChildConnection(program, source, { work, size: source.size, mime }).next(),
    ),
  );

/** Has a child render an image, in the format of the job or as WebP; null if it cannot. */
export async function renderImage(
  { run, command }: ImageTools,
  source: FileSource,
  job: Job,
): Promise<Uint8Array | null> {
  const frame = await withTempFolder((folder) =>
    run(command, folder, job.work, (program) => new ChildConnection(program, source, job).next()),
  );
  return frame && readThumbnail(frame.body, job.format ?? uploadFormat);
}

/** Renders a PNG of a video or PDF with a helper program; null for other files, or without the program. */
async function captureStill(
  { run, path, bounds, log }: ImageTools,
  source: FileSource,
  inspection: Inspection,
  still: Still,
): Promise<Uint8Array | null> {
  const name = programFor(inspection);
  if (!name) return null;
  return withTempFolder(async (folder) => {
    const program = findProgram(name, path);
    const file = source.path ?? `${folder}/copy`;
    const commands = program ? stillCommands(program, file, inspection, still) : [];
    if (commands.length === 0) return null;
    if (!source.path && !(await copyToFile(source, file, { timeMs: bounds.sourceMs, log }))) return null;
    for (const command of commands) {
      const png = await run(command, folder, "still", async (running) => {
        const output = await running.readAll(limits.stillBytes);
        return running.failureReason === null ? output : null;
      });
      if (png === null || png.length > 0) return png; // null: it cannot be started, or was killed
    }
    return null;
  });
}
