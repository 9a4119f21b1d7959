/**
 * Thumbnails: of images by a child of our own, of video and PDF by way of a still that another program makes.
 */

import { findProgram, programFor, type StillProgram, stillCommands } from "./helper-programs.ts";
import { isWalked } from "./images/image.ts";
import type { Inspection } from "./kind.ts";
import { type Limits, limits } from "./limits.ts";
import { Conversation } from "./parent-protocol.ts";
import type { Run } from "./process-runner.ts";
import { bytesSource, copyOf, type Source } from "./source.ts";
import { inFolder } from "./temp-folder.ts";

export interface Means {
  run: Run;
  /** Starts this program as a child. */
  command: string[];
  /** Where helpers are looked for, if not where the machine says. */
  path: string | undefined;
  bounds: Limits;
}

export async function makeThumbnail(
  means: Means,
  source: Source,
  found: Inspection,
): Promise<Uint8Array | null> {
  if (found.kind === "image") return isWalked(found.mime) ? shrink(means, source, found.mime) : null;
  const name = programFor(found);
  const png = name && (await still(means, source, found, name));
  return png && shrink(means, bytesSource(png), "image/png");
}

async function shrink({ run, command }: Means, source: Source, mime: string): Promise<Uint8Array | null> {
  const job = { work: "thumbnail", size: source.size, mime } as const;
  const said = await inFolder((folder) =>
    run(command, folder, job.work, (program) => new Conversation(program, source, job).next()),
  );
  return said && isThumbnail(said.body) ? said.body.slice() : null;
}

/** The child has seen the file, so it is not believed. */
const isThumbnail = (bytes: Uint8Array): boolean =>
  bytes.length <= limits.thumbnailBytes &&
  /^RIFF....WEBP/s.test(Buffer.from(bytes.subarray(0, 12)).toString("latin1"));

/** A PNG that another program made of the file. */
function still(
  { run, path, bounds }: Means,
  source: Source,
  found: Inspection,
  name: StillProgram,
): Promise<Uint8Array | null> {
  return inFolder(async (folder) => {
    const program = findProgram(name, path);
    const file = source.path ?? `${folder}/copy`;
    const commands = program ? stillCommands(program, file, found) : [];
    if (commands.length === 0 || !(source.path || (await copyOf(source, file, bounds.sourceMs)))) return null;
    for (const words of commands) {
      const png = await run(words, folder, "thumbnail", (running) => running.readAll(limits.stillBytes));
      if (png === null || png.length > 0) return png; // null: it cannot be started
    }
    return null;
  });
}
