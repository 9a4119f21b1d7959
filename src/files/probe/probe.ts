/**
 * Inspects uploaded files, makes thumbnails and unpacks bundles. This process parses no file: each job runs
 * in a child process, at most one per core and queue. Queues are fair between uploaders, so that the files of
 * one cannot delay those of another for long. Inspections share children, see `InspectorPool`; every
 * other job has its own. Plain text, and files that fixed bytes identify, need no parser: that is done here.
 *
 * No file content makes these calls fail or hang, except that an invalid bundle is a Problem 400. They also
 * throw what the source and the sink throw, and a Problem 503 if a job waits too long in the queue, or if the
 * time for the check of a zip file runs out.
 */
import { availableParallelism } from "node:os";
import { unavailable } from "../../core/problem.ts";
import { receiveBundle } from "./bundle/receiver.ts";
import { findHelpers, hasStill } from "./helper-programs.ts";
import { canParse, isLarge } from "./images/image.ts";
import { type Inspection, kindOf } from "./kind.ts";
import { openFileMatching } from "./likeness/file-matching.ts";
import { type Limits, limits } from "./limits.ts";
import {
  type FileSource,
  type Helper,
  type InspectionWithThumbnail,
  noLooks,
  type Probe,
  type ThumbnailFormatName,
} from "./port.ts";
import {
  readEdits,
  readFontContents,
  readMeasures,
  readModelContents,
  readPictureChange,
  readSignature,
  readTableContents,
  readTimeline,
} from "./received.ts";
import { withRemuxed } from "./remux.ts";
import type { Job } from "./sandbox/child.ts";
import { ChildConnection } from "./sandbox/parent-protocol.ts";
import { type Log, openRunner } from "./sandbox/process-runner.ts";
import { Queue } from "./sandbox/queue.ts";
import { withTempFolder } from "./sandbox/temp-folder.ts";
import { InspectorPool } from "./sandbox/worker-pool.ts";
import { hasManifest, withSignature } from "./signature/signature.ts";
import { bytesSource, headOf, joinedSource } from "./source.ts";
import { inspectText, svgType } from "./text-types.ts";
import { makeAnnotatedImage, makePageThumbnail, makeThumbnail } from "./thumbnails/thumbnail.ts";
import { decodePeaks } from "./timeline/waveform.ts";

export interface ProbeOptions {
  /** Command of the child process: `svc probe`. */
  command: string[];
  log: Log;
  /** Folders to search for helpers, in the format of PATH; by default PATH itself. */
  path?: string;
  /** Certificates in PEM of the authorities whose C2PA signers are trusted. */
  trustAnchors?: string;
  limits?: Partial<Limits>;
}

export function openProbe(options: ProbeOptions): Probe {
  const { command, log, path, trustAnchors = "", limits: limitOverrides } = options;
  const bounds = { ...limits, ...limitOverrides };
  const { start, run } = openRunner(log, bounds);
  const tools = { run, command, path, bounds, log };
  const openQueue = (slots: number) => new Queue(slots, bounds.queueMs, bounds.slowMs);
  const probeQueue = openQueue(availableParallelism());
  // Unpacking takes as long as its sink, and a timeline reads most of a file. Inspections must not wait.
  const slowQueue = openQueue(availableParallelism());
  // A browser, or a large image, takes as much memory as many children.
  const largeQueue = openQueue(1);

  const inspectors = new InspectorPool(command, start, bounds.idleMs);
  async function inspect(source: FileSource): Promise<InspectionWithThumbnail> {
    const found = await inspectInChild(source);
    if (!hasManifest(found.inspection)) return found;
    const inspection = await probeQueue.run(source.owner, () =>
      withSignature({ ...tools, trustAnchors }, source, found.inspection),
    );
    return { ...found, inspection };
  }

  async function inspectInChild(source: FileSource): Promise<InspectionWithThumbnail> {
    if (source.head)
      return (
        (await inspectHead(source.head, source.size)) ??
        probeQueue.run(source.owner, () => inspectors.inspect(source))
      );
    return probeQueue.run(source.owner, async () => {
      const head = await headOf(source);
      return (
        (head && (await inspectHead(head, source.size))) ??
        inspectors.inspect(head ? { ...source, head } : source)
      );
    });
  }

  /** A browser takes as much memory as a large image. */
  const takesMemory = (found: Inspection) => isLarge(found) || found.mime === svgType;

  const renderThumbnail = (source: FileSource, found: Inspection, format?: ThumbnailFormatName) =>
    (takesMemory(found) ? largeQueue : probeQueue).run(source.owner, () =>
      makeThumbnail({ ...tools, format }, source, found),
    );

  /**
   * Checks that a child starts and works. Otherwise a failure would go unnoticed: every file would be of kind
   * `file`.
   */
  async function checkChild(): Promise<Helper> {
    const { inspection } = await inspect(bytesSource(Buffer.from(onePixel, "base64")));
    return {
      name: "probe",
      purpose: "file types, dimensions and image thumbnails",
      version: inspection.width === 1 ? Bun.version : null,
    };
  }

  /** Runs a job whose answer is one message; null if it fails. */
  const answerOf = (
    work: "timeline" | "model" | "table" | "font" | "removal" | "compare" | "signature" | "measures",
    source: FileSource,
    mime: string,
    compared?: Pick<Job, "before">,
  ) =>
    (work === "removal" || work === "measures" ? probeQueue : slowQueue).run(source.owner, async () => {
      const job = { work, size: source.size, mime, ...compared };
      const frame = await withTempFolder((folder) =>
        run(command, folder, work, (program) => new ChildConnection(program, source, job).next()),
      );
      return frame?.head ?? null;
    });

  return {
    inspect: async (source) => (await inspect(source)).inspection,

    async inspectWithThumbnail(source) {
      const found = await inspect(source);
      const { inspection } = found;
      const isLeft = hasStill(inspection) || (canParse(inspection.mime) && isLarge(inspection));
      if (found.thumbnail || !isLeft) return found;
      const still = await renderThumbnail(source, inspection);
      return { ...found, thumbnail: still?.bytes ?? null, ...(still?.looks ?? noLooks) };
    },

    thumbnail: async (source, found, format) => (await renderThumbnail(source, found, format))?.bytes ?? null,

    annotatedImage: async (source, found, moment, marks) =>
      (
        await (takesMemory(found) ? largeQueue : slowQueue).run(source.owner, () =>
          makeAnnotatedImage(tools, source, found, moment, marks),
        )
      )?.bytes ?? null,

    pageThumbnail: async (page) =>
      (await largeQueue.run(page.owner, () => makePageThumbnail(tools, page)))?.bytes ?? null,

    async timeline(source, mime) {
      const isAudio = kindOf(mime) === "audio";
      const read =
        !isAudio || mime === "audio/wav" ? readTimeline(await answerOf("timeline", source, mime)) : null;
      if (!isAudio || read?.peaks) return read;
      const peaks = await slowQueue.run(source.owner, () => decodePeaks(tools, source, mime));
      return peaks ? { peaks, frame_rate: null, is_index_last: false } : read;
    },

    model: async (source, mime) => readModelContents(await answerOf("model", source, mime)),

    table: async (source, mime) => readTableContents(await answerOf("table", source, mime)),

    font: async (source, mime) => readFontContents(await answerOf("font", source, mime)),

    async compare(before, after) {
      const source = joinedSource(before.source, after.source);
      const older = { size: before.source.size, mime: before.mime };
      return readPictureChange(await answerOf("compare", source, after.mime, { before: [older] }));
    },

    match: openFileMatching(tools, probeQueue),

    signature: async ({ source, mime }) => readSignature(await answerOf("signature", source, mime)),

    measures: async (source, mime) => readMeasures(await answerOf("measures", source, mime)),

    removalEdits: async (source, mime) =>
      readEdits((await answerOf("removal", source, mime))?.edits, source.size),

    withRemuxed: (source, mime, use) =>
      slowQueue.run(source.owner, () => withRemuxed(tools, source, mime, use)),

    unbundle: (source, sink) =>
      slowQueue.run(source.owner, async () => {
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
      running: probeQueue.running + slowQueue.running + largeQueue.running,
      waiting: probeQueue.waiting + slowQueue.waiting + largeQueue.waiting,
    }),

    helpers: async () => [await checkChild(), ...(await findHelpers(path))],
  };
}

/** A file that begins with these bytes, if it takes no parser; null for any other. */
async function inspectHead(first: Uint8Array, size: number): Promise<InspectionWithThumbnail | null> {
  const head = first.subarray(0, limits.headBytes);
  const inspection = inspectText(head, head.length === size) ?? (await inspectBinary(head, size));
  return inspection && { inspection, thumbnail: null, ...noLooks };
}

async function inspectBinary(head: Uint8Array, size: number): Promise<Inspection | null> {
  const { inspectSignature } = await import("./content-sniffing.ts");
  return inspectSignature(head, size);
}

const onePixel = "R0lGODlhAQABAIAAAP8AAAAA/yH5BAAKAAAALAAAAAABAAEAAAICBAUAOw==";
