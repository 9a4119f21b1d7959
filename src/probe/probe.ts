/**
 * The door of the room: what an uploaded file is, how it looks small, what a bundle holds. No byte of it is
 * parsed in this process: each piece of work has a child process of its own, as many at a time as there are
 * cores; only what is known by its first bytes shares one with others. Of text there is nothing to parse, so
 * where its first bytes are here already it is told from them: they are UTF-8 without control characters, and
 * begin like nothing else.
 *
 * Nothing that a file holds makes these calls fail or wait, the Problem 400 of a bad bundle aside. Otherwise
 * they throw what the source and the sink throw, and 503 where too many wait already.
 */
import { availableParallelism } from "node:os";
import { unavailable } from "../problem.ts";
import type { Bundle } from "./bundle/bundle.ts";
import { receiveBundle, type Sink } from "./bundle-receiver.ts";
import { findHelpers, type Helper } from "./helper-programs.ts";
import type { Inspection } from "./kind.ts";
import { type Limits, limits } from "./limits.ts";
import { ChildConnection } from "./parent-protocol.ts";
import { type Log, openRunner } from "./process-runner.ts";
import { Queue } from "./queue.ts";
import { bytesSource, type FileSource } from "./source.ts";
import { withTempFolder } from "./temp-folder.ts";
import { inspectText } from "./text-types.ts";
import { makeThumbnail } from "./thumbnail.ts";
import { InspectorPool } from "./worker-pool.ts";

export interface Probe {
  /** What the file is. What cannot be told is null, and a file that is nothing else is of kind `file`. */
  inspect(source: FileSource): Promise<Inspection>;
  /**
   * A WebP of at most 512 pixels a side and 200 KB, or null where there is none. `found` is what `inspect`
   * said.
   */
  thumbnail(source: FileSource, found: Inspection): Promise<Uint8Array | null>;
  /** Unpacks a bundle into a sink: all of it, or, with a Problem 400 that says why, nothing. */
  unbundle(source: FileSource, sink: Sink): Promise<Bundle>;
  /**
   * This program as a child, and the programs that thumbnails are made with: which of them work on this
   * machine.
   */
  helpers(): Promise<Helper[]>;
  /** How many pieces of work run, and how many wait for their turn. */
  load(): { running: number; waiting: number };
}

export interface ProbeOptions {
  /** Starts this program as a child: `svc probe`. */
  command: string[];
  log: Log;
  /** Folders in which helpers are looked for, written as in PATH; those of the machine unless given. */
  path?: string;
  limits?: Partial<Limits>;
}

export function openProbe({ command, log, path, limits: limitOverrides }: ProbeOptions): Probe {
  const bounds = { ...limits, ...limitOverrides };
  const { start, run } = openRunner(log, bounds);
  const probeQueue = new Queue(availableParallelism(), bounds.queueMs);
  // A bundle takes as long as its sink, and nobody else should wait for that.
  const unpackQueue = new Queue(availableParallelism(), bounds.queueMs);

  const inspectors = new InspectorPool(command, start);
  async function inspect(source: FileSource): Promise<Inspection> {
    const text = source.head ? inspectText(source.head, source.head.length === source.size) : null;
    return text ?? probeQueue.run(() => inspectors.inspect(source));
  }

  /**
   * Whether a child can be started and does its work: nobody would hear of it otherwise, since every file
   * would be of kind `file`.
   */
  async function checkChild(): Promise<Helper> {
    const { width } = await inspect(bytesSource(Buffer.from(onePixel, "base64")));
    return {
      name: "probe",
      purpose: "file types, dimensions and image thumbnails",
      version: width === 1 ? Bun.version : null,
    };
  }

  return {
    inspect,

    thumbnail: (source, found) =>
      probeQueue.run(() => makeThumbnail({ run, command, path, bounds }, source, found)),

    unbundle: (source, sink) =>
      unpackQueue.run(async () => {
        try {
          const job = { work: "unbundle", size: source.size, mime: "application/zip" } as const;
          const bundle = await withTempFolder((folder) =>
            run(command, folder, job.work, (program) =>
              receiveBundle(new ChildConnection(program, source, job), sink),
            ),
          );
          if (bundle === null)
            throw unavailable("Bundles cannot be unpacked at the moment. Try again later.");
          return bundle;
        } catch (error) {
          await sink.discard().catch((cleanupError) =>
            log("warn", "could not delete the files of a rejected bundle", {
              error: (cleanupError as Error).message,
            }),
          );
          throw error;
        }
      }),

    load: () => ({
      running: probeQueue.running + unpackQueue.running,
      waiting: probeQueue.waiting + unpackQueue.waiting,
    }),

    helpers: async () => [await checkChild(), ...(await findHelpers(path))],
  };
}

const onePixel = "R0lGODlhAQABAIAAAP8AAAAA/yH5BAAKAAAALAAAAAABAAEAAAICBAUAOw==";
