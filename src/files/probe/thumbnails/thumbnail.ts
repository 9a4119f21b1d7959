/**
 * Thumbnails, and images with annotations drawn on them, for agents that see. A child process renders the
 * file, or a still of it that a helper program makes: of videos, PDFs, and images that svc does not decode.
 */

import { upright } from "../geometry.ts";
import { findProgram, hasStill, type Still, stillCommands } from "../helper-programs.ts";
import { heifTypes } from "../images/heif.ts";
import { canParse } from "../images/image.ts";
import { type Inspection, programFor } from "../kind.ts";
import { limits } from "../limits.ts";
import type { FileSource, Looks, Mark, Moment, PageFiles, ThumbnailFormatName } from "../port.ts";
import { readLooks, readThumbnail } from "../received.ts";
import type { Job } from "../sandbox/child.ts";
import type { Frame } from "../sandbox/message-frames.ts";
import { ChildConnection } from "../sandbox/parent-protocol.ts";
import type { ImageTools } from "../sandbox/process-runner.ts";
import { withTempFolder } from "../sandbox/temp-folder.ts";
import { bytesSource, copyToFile } from "../source.ts";
import { svgType } from "../text-types.ts";
import { captureDrawing, capturePage } from "../web-page/screenshot.ts";
import { captureHeif, withChunk } from "./heif-still.ts";
import { annotatedFormat, thumbnailSide } from "./thumbnail-format.ts";

interface ThumbnailTools extends ImageTools {
  /** By default, one that uploads make. */
  format: ThumbnailFormatName | undefined;
}

interface RenderedImage {
  bytes: Uint8Array;
  /** Of a thumbnail. */
  looks: Looks;
}

/** What a file is about, for its thumbnail. */
const typicalStill = { side: thumbnailSide, t_ms: null, page: null };
/** Of the longer side of a still to draw on, in pixels. */
const annotatedSide = 1024;

/** The thumbnail of a file, or null if none can be made of its type. */
export const makeThumbnail = (
  { format, ...tools }: ThumbnailTools,
  source: FileSource,
  inspection: Inspection,
): Promise<RenderedImage | null> =>
  render(tools, source, inspection, typicalStill, { work: "thumbnail", format });

/** The thumbnail of an HTML page; null if no browser is installed, or if it does not work. */
export async function makePageThumbnail(tools: ImageTools, page: PageFiles): Promise<RenderedImage | null> {
  const png = await capturePage(tools, page);
  if (!png) return null;
  const job = { work: "thumbnail", size: png.length, mime: "image/png" } as const;
  return renderImage(tools, bytesSource(png), job);
}

export const makeAnnotatedImage = (
  tools: ImageTools,
  source: FileSource,
  inspection: Inspection,
  moment: Moment,
  marks: readonly Mark[],
): Promise<RenderedImage | null> =>
  render(
    tools,
    source,
    inspection,
    { ...moment, side: annotatedSide },
    {
      work: "annotate",
      marks,
      format: annotatedFormat,
    },
  );

/** Renders the file itself or, where a child has no decoder for it, a still of it. */
async function render(
  tools: ImageTools,
  source: FileSource,
  inspection: Inspection,
  still: Omit<Still, "matrix">,
  job: Pick<Job, "work" | "format" | "marks">,
): Promise<RenderedImage | null> {
  const { kind, mime } = inspection;
  if (kind === "image" && canParse(mime)) {
    const image = await renderImage(tools, source, { ...job, size: source.size, mime });
    if (image || !hasStill(inspection)) return image;
  }
  const image = await stillOf(tools, source, inspection, still);
  return image && renderImage(tools, image, { ...job, ...image.job });
}

interface DecodableImage extends FileSource {
  job: Pick<Job, "size" | "mime" | "orientation">;
}

/** Null without a program that makes one. */
export async function stillOf(
  tools: ImageTools,
  source: FileSource,
  inspection: Inspection,
  still: Omit<Still, "matrix">,
): Promise<DecodableImage | null> {
  const { kind, mime } = inspection;
  if (mime === svgType) {
    const png = await captureDrawing(tools, source, inspection, still.side);
    return png && stillImage(png, upright);
  }
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
  // One that ffmpeg decodes wrong has none.
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

/** Has a child render an image; null if it cannot. */
export async function renderImage(
  { run, command }: ImageTools,
  source: FileSource,
  job: Job,
): Promise<RenderedImage | null> {
  const frame = await withTempFolder((folder) =>
    run(command, folder, job.work, (program) => new ChildConnection(program, source, job).next()),
  );
  const bytes = frame && readThumbnail(frame.body, job.format);
  return bytes && { bytes, looks: readLooks(frame.head) };
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
