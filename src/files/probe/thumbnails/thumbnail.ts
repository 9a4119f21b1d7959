/**
 * Thumbnails: images are scaled in a child process; video and PDF by way of a still from a helper program.
 */

import { findProgram, type Still, stillCommands } from "../helper-programs.ts";
import { canParse } from "../images/image.ts";
import { type Inspection, programFor } from "../kind.ts";
import { type Limits, limits } from "../limits.ts";
import type { FileSource, ThumbnailFormatName } from "../port.ts";
import { readThumbnail } from "../received.ts";
import type { Job } from "../sandbox/child.ts";
import { ChildConnection } from "../sandbox/parent-protocol.ts";
import type { Log, Run } from "../sandbox/process-runner.ts";
import { withTempFolder } from "../sandbox/temp-folder.ts";
import { bytesSource, copyToFile } from "../source.ts";
import { thumbnailSide, uploadFormat } from "./thumbnail-format.ts";

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

/** The thumbnail of a file, or null if none can be made of its type. */
export async function makeThumbnail(
  tools: ThumbnailTools,
  source: FileSource,
  inspection: Inspection,
): Promise<Uint8Array | null> {
  if (inspection.kind === "image")
    return canParse(inspection.mime) ? shrink(tools, source, inspection.mime) : null;
  const png = await captureStill(tools, source, inspection, typicalStill);
  return png && shrink(tools, bytesSource(png), "image/png");
}

const shrink = (tools: ThumbnailTools, source: FileSource, mime: string): Promise<Uint8Array | null> =>
  renderImage(tools, source, { work: "thumbnail", size: source.size, mime, format: tools.format });

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
export async function captureStill(
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
