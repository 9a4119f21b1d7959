/**
 * Inspects uploaded files, makes thumbnails and unpacks bundles. This process parses no file: each job runs
 * in a child process of its own, at most one per core and queue. Only a child that identified a file without
 * a parser is reused. Plain text needs no parser, so if its first bytes are at hand it is identified here.
 *
 * No file content makes these calls fail or hang, except that an invalid bundle is a Problem 400. They also
 * throw what the source and the sink throw, and a Problem 503 if a job waits too long in the queue, or if the
 * time for the check of a zip file runs out.
 */
import { availableParallelism } from "node:os";
import { unavailable } from "../problem.ts";

import { receiveBundle } from "./bundle/receiver.ts";
import { findHelpers } from "./helper-programs.ts";
import type { Inspection } from "./kind.ts";
import { type Limits, limits } from "./limits.ts";
import type { FileSource, Helper, Probe } from "./port.ts";
import { readEdits, readTimeline } from "./received.ts";
import { ChildConnection } from "./sandbox/parent-protocol.ts";
import { type Log, openRunner } from "./sandbox/process-runner.ts";
import { Queue } from "./sandbox/queue.ts";
import { withTempFolder } from "./sandbox/temp-folder.ts";
import { InspectorPool } from "./sandbox/worker-pool.ts";
import { bytesSource } from "./source.ts";
import { inspectText } from "./text-types.ts";
import { makeThumbnail } from "./thumbnail.ts";

export interface ProbeOptions {
  /** Command of the child process: `svc probe`. */
  command: string[];
  log: Log;
  /** Folders to search for helpers, in the format of PATH; by default PATH itself. */
  path?: string;
  limits?: Partial<Limits>;
}

export function openProbe({ command, log, path, limits: limitOverrides }: ProbeOptions): Probe {
  const bounds = { ...limits, ...limitOverrides };
  const { start, run } = openRunner(log, bounds);
  const probeQueue = new Queue(availableParallelism(), bounds.queueMs);
  // Unpacking takes as long as its sink, and a timeline reads most of a file. Inspections must not wait.
  const slowQueue = new Queue(availableParallelism(), bounds.queueMs);

  const inspectors = new InspectorPool(command, start);
  async function inspect(source: FileSource): Promise<Inspection> {
    const text = source.head ? inspectText(source.head, source.head.length === source.size) : null;
    return text ?? probeQueue.run(() => inspectors.inspect(source));
  }

  /**
   * Checks that a child starts and works. Otherwise a failure would go unnoticed: every file would be of kind
   * `file`.
   */
  async function checkChild(): Promise<Helper> {
    const { width } = await inspect(bytesSource(Buffer.from(onePixel, "base64")));
    return {
      name: "probe",
      purpose: "file types, dimensions and image thumbnails",
      version: width === 1 ? Bun.version : null,
    };
  }

  /** Runs a job whose answer is one message; null if it fails. */
  const answerOf = (work: "timeline" | "removal", source: FileSource, mime: string) =>
    (work === "timeline" ? slowQueue : probeQueue).run(async () => {
      const job = { work, size: source.size, mime };
      const frame = await withTempFolder((folder) =>
        run(command, folder, work, (program) => new ChildConnection(program, source, job).next()),
      );
      return frame?.head ?? null;
    });

  return {
    inspect,

    thumbnail: (source, found, format = "webp") =>
      probeQueue.run(() => makeThumbnail({ run, command, path, bounds, format }, source, found)),

    timeline: async (source, mime) => readTimeline(await answerOf("timeline", source, mime)),

    removalEdits: async (source, mime) =>
      readEdits((await answerOf("removal", source, mime))?.edits, source.size),

    unbundle: (source, sink) =>
      slowQueue.run(async () => {
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
      running: probeQueue.running + slowQueue.running,
      waiting: probeQueue.waiting + slowQueue.waiting,
    }),

    helpers: async () => [await checkChild(), ...(await findHelpers(path))],
  };
}

const onePixel = "R0lGODlhAQABAIAAAP8AAAAA/yH5BAAKAAAALAAAAAABAAEAAAICBAUAOw==";
