/**
 * Thumbnails, and images with annotations drawn on them, for agents that see. A child process renders the
 * file, or a still of it that a helper program makes: of videos, PDFs, and images that svc does not decode.
 */

import { upright } from "../geometry.ts";
import { findProgram, type Still, stillCommands } from "../helper-programs.ts";
import { canParse } from "../images/image.ts";
import { type Inspection, programFor } from "../kind.ts";
import { type Limits, limits } from "../limits.ts";
import type { FileSource, Mark, Moment, ThumbnailFormatName } from "../port.ts";
import { readThumbnail } from "../received.ts";
import type { Job } from "../sandbox/child.ts";
import { ChildConnection } from "../sandbox/parent-protocol.ts";
import type { Log, Run } from "../sandbox/process-runner.ts";
import { withTempFolder } from "../sandbox/temp-folder.ts";
import { bytesSource, copyToFile } from "../source.ts";
import { annotatedFormat, thumbnailSide, uploadFormat } from "./thumbnail-format.ts";

export interface ImageTools {
  run: Run;
  /** Command of the child process. */
  command: string[];
  /** Folders to search for helpers; undefined: PATH. */
  path: string | undefined;
  bounds: Limits;
  log: Log;
}

interface ThumbnailTools extends ImageTools {
  format: ThumbnailFormatName;
}

/** What a file is about, for its thumbnail. */
const typicalStill: Still = { side: thumbnailSide, t_ms: null, page: null };
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
  still: Still,
): Promise<DecodableImage | null> {
  const { kind, mime } = inspection;
  if (kind === "image" && canParse(mime)) return { ...source, job: { size: source.size, mime } };
  const png = await captureStill(tools, source, inspection, still);
  const orientation = png && kind === "image" ? await storedOrientation(tools, source, mime) : upright;
  if (!png || !orientation) return null;
  return { ...bytesSource(png), job: { size: png.length, mime: "image/png", orientation } };
}

/** How an image is turned that ffmpeg decoded as it is stored; null if that is not the image. */
async function storedOrientation(
  { run, command }: ImageTools,
  source: FileSource,
  mime: string,
): Promise<number | null> {
  const job = { work: "orientation", size: source.size, mime } as const;
  const frame = await withTempFolder((folder) =>
    run(command, folder, job.work, (program) => new ChildConnection(program, source, job).next()),
  );
  const found = frame?.head.orientation;
  return typeof found === "number" && found >= upright && found <= 8 ? found : null;
}

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
