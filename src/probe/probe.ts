/**
 * The door of the room: what an uploaded file is, how it looks small, what a bundle holds. No byte of it is parsed in
 * this process: each piece of work has a child process of its own, as many at a time as there are cores.
 *
 * Nothing that a file holds makes these calls fail or wait, the Problem 400 of a bad bundle aside. Otherwise they throw
 * what the source and the sink throw, and 503 where too many wait already.
 */
import { availableParallelism } from "node:os";
import { unavailable } from "../problem.ts";
import type { Bundle } from "./bundle/bundle.ts";
import type { Work } from "./child.ts";
import { Conversation } from "./conversation.ts";
import { fence } from "./fence.ts";
import { inFolder, sweepFolders } from "./folder.ts";
import { Guarded } from "./guarded.ts";
import { isWalked } from "./images/image.ts";
import { type Inspection, readInspection, unknown, withoutMeasures } from "./kind.ts";
import { type Limits, limits } from "./limits.ts";
import { findHelpers, findProgram, type Helper, programFor, stillCommands } from "./programs.ts";
import { Queue } from "./queue.ts";
import { receive, type Sink } from "./receive.ts";
import { bytesSource, copyOf, type Source } from "./source.ts";

export interface Probe {
  /** What the file is. What cannot be told is null, and a file that is nothing else is of kind `file`. */
  inspect(source: Source): Promise<Inspection>;
  /** A WebP of at most 512 pixels a side and 200 KB, or null where there is none. `found` is what `inspect` said. */
  thumbnail(source: Source, found: Inspection): Promise<Uint8Array | null>;
  /** Unpacks a bundle into a sink: all of it, or, with a Problem 400 that says why, nothing. */
  unbundle(source: Source, sink: Sink): Promise<Bundle>;
  /** The programs that thumbnails are made with, and which of them this machine has. */
  helpers(): Promise<Helper[]>;
}

export interface ProbeOptions {
  /** Starts this program as a child: `svc probe`. */
  command: string[];
  log(level: "warn", message: string, fields: Record<string, unknown>): void;
  /** Folders in which helpers are looked for, written as in PATH; those of the machine unless given. */
  path?: string;
  limits?: Partial<Limits>;
}

export function openProbe({ command, log, path, limits: given }: ProbeOptions): Probe {
  const bounds = { ...limits, ...given };
  const probing = new Queue(availableParallelism(), bounds.queueMs);
  // A bundle takes as long as its sink, and nobody else should wait for that.
  const unpacking = new Queue(availableParallelism(), bounds.queueMs);
  const sinkMs = Number.POSITIVE_INFINITY;
  let ready: Promise<string[]> | undefined;

  /** Null where the program cannot be started, or `use` made nothing of it. */
  async function guarded<T>(words: string[], folder: string, work: Work, use: (program: Guarded) => Promise<T | null>): Promise<T | null> {
    const isUnpacking = work === "unbundle";
    const time = { workMs: isUnpacking ? bounds.bundleMs : bounds.childMs, totalMs: isUnpacking ? sinkMs : bounds.sourceMs };
    ready ??= sweepFolders().then(() => fence(bounds.childBytes));
    const fenceWords = await ready;
    let program: Guarded;
    try {
      program = new Guarded([...fenceWords, ...words], { folder, ...time, bytesMax: bounds.childBytes, watchMs: bounds.watchMs });
    } catch (error) {
      log("warn", "a child process could not be started", { work, error: (error as Error).message });
      return null;
    }
    let result: T | null = null;
    let isRefused = true;
    try {
      result = await use(program);
      isRefused = false;
      return result;
    } finally {
      const isSilent = result === null && !isRefused;
      const reason = program.broken ?? (isSilent ? (program.exitCode ? `ended with ${program.exitCode}` : "made no sense") : null);
      if (reason) log("warn", "a child process broke off", { work, program: words[0], reason });
      await program.stop();
    }
  }

  const talk = <T>(work: Work, source: Source, mime: string, hear: (child: Conversation) => Promise<T | null>): Promise<T | null> =>
    inFolder((folder) =>
      guarded(command, folder, work, (program) => hear(new Conversation(program, source, { work, size: source.size, mime }))),
    );

  const shrink = (source: Source, mime: string): Promise<Uint8Array | null> =>
    talk("thumbnail", source, mime, async (child) => {
      const frame = await child.next();
      return frame && { bytes: frame.body.slice() };
    }).then((said) => (said && isThumbnail(said.bytes) ? said.bytes : null));

  /** A PNG that another program made of the file. */
  const still = (source: Source, found: Inspection): Promise<Uint8Array | null> =>
    inFolder(async (folder) => {
      const name = programFor(found);
      const program = name && findProgram(name, path);
      const file = source.path ?? `${folder}/copy`;
      const commands = program ? stillCommands(program, file, found) : [];
      if (commands.length === 0 || !(source.path || (await copyOf(source, file, bounds.sourceMs)))) return null;
      for (const words of commands) {
        const png = await guarded(words, folder, "thumbnail", (running) => running.readAll(limits.stillBytes));
        if (png === null || png.length > 0) return png; // null: it cannot be started
      }
      return null;
    });

  return {
    inspect: (source) =>
      probing.run(async () => {
        let found = withoutMeasures(unknown);
        await talk("inspect", source, found.mime, async (child) => {
          for (let frame = await child.next(); frame; frame = await child.next()) {
            if (frame.head.say === "done") return true;
            found = readInspection(frame.head.found) ?? found;
          }
          return null;
        });
        return found;
      }),

    thumbnail: (source, found) =>
      probing.run(async () => {
        if (found.kind === "image") return isWalked(found.mime) ? shrink(source, found.mime) : null;
        const png = await still(source, found);
        return png && shrink(bytesSource(png), "image/png");
      }),

    unbundle: (source, sink) =>
      unpacking.run(async () => {
        try {
          const bundle = await talk("unbundle", source, "application/zip", (child) => receive(child, sink));
          if (bundle === null) throw unavailable("No bundle can be unpacked now.");
          return bundle;
        } catch (error) {
          await sink.drop().catch((left) => log("warn", "files of a refused bundle are left", { error: (left as Error).message }));
          throw error;
        }
      }),

    helpers: () => findHelpers(path),
  };
}

const isThumbnail = (bytes: Uint8Array): boolean =>
  bytes.length <= limits.thumbnailBytes && /^RIFF....WEBP/s.test(Buffer.from(bytes.subarray(0, 12)).toString("latin1"));
