/**
 * Thumbnails: images are scaled in a child process; video and PDF by way of a still from a helper program.
 */

import { findProgram, programFor, type StillProgram, stillCommands } from "./helper-programs.ts";
import { canParse } from "./images/image.ts";
import type { Inspection } from "./kind.ts";
import { type Limits, limits } from "./limits.ts";
import type { FileSource, ThumbnailFormatName } from "./port.ts";
import { readThumbnail } from "./received.ts";
import { ChildConnection } from "./sandbox/parent-protocol.ts";
import type { Run } from "./sandbox/process-runner.ts";
import { withTempFolder } from "./sandbox/temp-folder.ts";
import { bytesSource, copyToFile } from "./source.ts";

export interface ThumbnailTools {
  run: Run;
  /** Command of the child process. */
  command: string[];
  /** Folders to search for helpers; undefined: PATH. */
  path: string | undefined;
  bounds: Limits;
  format: ThumbnailFormatName;
}

/** The thumbnail of a file, or null if none can be made of its type. */
export async function makeThumbnail(
  tools: ThumbnailTools,
  source: FileSource,
  inspection: Inspection,
): Promise<Uint8Array | null> {
  if (inspection.kind === "image")
    return canParse(inspection.mime) ? shrink(tools, source, inspection.mime) : null;
  const name = programFor(inspection);
  const png = name && (await captureStill(tools, source, inspection, name));
  return png && shrink(tools, bytesSource(png), "image/png");
}

async function shrink(
  { run, command, format }: ThumbnailTools,
  source: FileSource,
  mime: string,
): Promise<Uint8Array | null> {
  const job = { work: "thumbnail", size: source.size, mime, format } as const;
  const frame = await withTempFolder((folder) =>
    run(command, folder, job.work, (program) => new ChildConnection(program, source, job).next()),
  );
  return frame && readThumbnail(frame.body, format);
}

/** Renders a PNG of the file with a helper program. */
function captureStill(
  { run, path, bounds }: ThumbnailTools,
  source: FileSource,
  inspection: Inspection,
  name: StillProgram,
): Promise<Uint8Array | null> {
  return withTempFolder(async (folder) => {
    const program = findProgram(name, path);
    const file = source.path ?? `${folder}/copy`;
    const commands = program ? stillCommands(program, file, inspection) : [];
    if (commands.length === 0 || !(source.path || (await copyToFile(source, file, bounds.sourceMs))))
      return null;
    for (const command of commands) {
      const png = await run(command, folder, "thumbnail", (running) => running.readAll(limits.stillBytes));
      if (png === null || png.length > 0) return png; // null: it cannot be started
    }
    return null;
  });
}
