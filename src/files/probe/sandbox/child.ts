/**
 * The child process, which does all parsing of uploaded files. It opens no files; it exchanges one message at
 * a time with its parent, which kills it if it takes too long.
 */
import { type BlockReader, blockReader, partOf } from "../bytes.ts";
import type { Inspection } from "../kind.ts";
import { limits } from "../limits.ts";
import type { Target } from "../marks/schema.ts";
import type { Mark, ThumbnailFormatName } from "../port.ts";
import { encodeFrame, type Frame, readFrame } from "./message-frames.ts";

/** Blocking reads and writes of the child's pipes. `read` returns exactly `length` bytes. */
export interface Pipe {
  read(length: number): Uint8Array;
  write(bytes: Uint8Array): void;
}

export type JobKind =
  | "inspect"
  | "orientation"
  | "colors"
  | "heif"
  | "thumbnail"
  | "timeline"
  | "model"
  | "table"
  | "font"
  | "annotate"
  | "compare"
  | "match"
  | "signature"
  | "measures"
  | "removal"
  | "unbundle";

/** The parent's reply to `ready`. Its body holds the first bytes of the file, if the parent has them. */
export interface Job {
  work: JobKind;
  size: number;
  mime: string;
  /** Of an image to render; by default as the file states. */
  orientation?: number | undefined;
  /** Of a thumbnail; by default, one that uploads make. */
  format?: ThumbnailFormatName | undefined;
  /** To be drawn on an image. */
  marks?: readonly Mark[];
  /** Files that precede the file, to be compared with it. */
  before?: readonly ComparedJob[];
  /** Of the file, to be compared in its format. */
  name?: string;
}

interface ComparedJob extends Pick<Job, "size" | "mime" | "name" | "orientation"> {
  /** Places in it. */
  targets?: readonly (Target | null)[];
}

type Send = (head: Frame["head"], body?: Uint8Array) => Frame;
/** The last message of a job. */
type Result = Frame["head"] & { body?: Uint8Array | null | undefined };

/** Takes one job after another, until the parent ends the process. */
export async function runProbeChild(pipe: Pipe): Promise<void> {
  const send: Send = (head, body) => {
    pipe.write(encodeFrame(head, body));
    return readFrame(pipe.read, limits.frameBytes);
  };
  for (let message = send({ say: "ready" }); ; ) {
    const job = message.head as unknown as Job; // safe because: the parent is this same program
    const readBytesMax = job.work === "unbundle" ? limits.bundleReadBytes : limits.readBytes;
    const fetchBlock = (offset: number, length: number) => send({ say: "read", offset, length }).body;
    const file = blockReader(job.size, readBytesMax, fetchBlock, message.body);
    const { body, ...head } = await jobs[job.work](file, job, send);
    message = send({ say: "done", ...head }, body ?? undefined);
  }
}

const jobs: Record<JobKind, (file: BlockReader, job: Job, send: Send) => Promise<Result>> = {
  async inspect(file, _job, send) {
    const { inspect } = await import("../inspect.ts");
    const report = (found: Inspection) => void send({ say: "found", found });
    const { thumbnail: body, looks, ...result } = await inspect(file, report);
    return { body, ...looks, ...result };
  },

  async orientation(file, { mime }) {
    const { readOrientation } = await import("../images/sizes.ts");
    return { orientation: readOrientation(file, mime) };
  },

  async colors(file, { mime }) {
    const { readVideoColors } = await import("../media/media.ts");
    const { profileChunk } = await import("../images/colors.ts");
    const { matrix, profile } = await readVideoColors(file, mime).catch(() => ({
      matrix: null,
      profile: null,
    }));
    return { matrix, body: profile && profileChunk(profile) };
  },

  async heif(file, _job, send) {
    const { readCodedHeif } = await import("../images/heif.ts");
    const { profileChunk } = await import("../images/colors.ts");
    try {
      const { image = null, profile, streams = [] } = readCodedHeif(file) ?? {};
      for (const [stream, pieces] of streams.entries())
        for (const piece of batches(pieces)) send({ say: "bytes", stream }, piece);
      return { image, body: profile && profile.length <= limits.blockBytes ? profileChunk(profile) : null };
    } catch {
      return { image: null }; // its boxes or items are cut
    }
  },

  async thumbnail(file, job) {
    const { thumbnailOf } = await import("../images/image.ts");
    const { looksOf } = await import("../likeness/looks.ts");
    // damaged, or larger than we decode
    const thumbnail = await thumbnailOf(file, job, job.format).catch(() => null);
    return { body: thumbnail?.bytes, ...(thumbnail && (await looksOf(thumbnail))) };
  },

  async timeline(file, { mime }) {
    const { readTimeline } = await import("../timeline/timeline.ts");
    return { timeline: await readTimeline(file, mime) };
  },

  async model(file, { mime }) {
    const { readModel } = await import("../model/model.ts");
    return { model: readModel(file, mime) };
  },

  async table(file) {
    const { readParquet } = await import("../table/parquet.ts");
    return { table: await readParquet(file).catch(() => null) };
  },

  async font(file) {
    const { readFont } = await import("../font/font.ts");
    try {
      return { font: readFont(file) };
    } catch {
      return { font: null }; // damaged
    }
  },

  async annotate(file, job) {
    const { annotatedImageOf } = await import("../marks/draw-marks.ts");
    return { body: await annotatedImageOf(file, job, job.marks ?? []).catch(() => null) };
  },

  async compare(file, { mime, before = [] }) {
    const { compareImages } = await import("../likeness/images/compare-images.ts");
    const { older, newer } = partsOf(file, before);
    const [first] = older;
    if (!first) return { change: null };
    const change = await compareImages(first, { mime, file: newer }).catch(() => null);
    return { change }; // null: one is damaged, or larger than we decode
  },

  async match(file, { mime, name = "", orientation, before = [] }, send) {
    const { openMatcher } = await import("../likeness/match.ts");
    const { older, newer } = partsOf(file, before);
    const match = openMatcher({ mime, name, orientation, file: newer });
    for (const one of older)
      send({ say: "match", match: await match(one, one.targets ?? []).catch(() => null) });
    return {};
  },

  async signature(file, { mime }) {
    const { signatureOf } = await import("../likeness/signature.ts");
    return { signature: await signatureOf(file, { mime }).catch(() => null) };
  },

  async measures(file, { mime }) {
    const { measuresOf } = await import("../measures/measures.ts");
    try {
      return { measures: measuresOf(file, mime) };
    } catch {
      return { measures: null }; // damaged
    }
  },

  async removal(file, { mime }) {
    const { removalEdits } = await import("../provenance/removal.ts");
    const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64");
    const edits = removalEdits(file, mime);
    return {
      edits:
        edits?.map(({ replacement, ...edit }) => ({ ...edit, replacement: base64(replacement) })) ?? null,
    };
  },

  async unbundle(file, _job, send) {
    const { unbundle } = await import("../bundle/bundle.ts");
    try {
      const { index } = await unbundle(file, {
        file: (entry) => void send({ say: "file", ...entry }),
        bytes: (bytes) => void send({ say: "bytes" }, bytes),
      });
      return { index };
    } catch (error) {
      const { Problem } = await import("../../../core/problem.ts");
      return {
        say: "refused",
        detail: error instanceof Problem ? error.detail : "The bundle cannot be unpacked.",
      };
    }
  },
};

/** Files that follow each other in one. */
function partsOf(file: BlockReader, before: readonly ComparedJob[]) {
  let start = 0;
  const older = before.map((one) => {
    const part = { name: "", ...one, file: partOf(file, start, one.size) };
    start += one.size;
    return part;
  });
  return { older, newer: partOf(file, start, file.size - start) };
}

/** Pieces joined, and cut, to the size of a block. */
function* batches(pieces: Iterable<Uint8Array>): Generator<Uint8Array> {
  let batch: Uint8Array[] = [];
  let size = 0;
  for (const piece of pieces)
    for (let at = 0; at < piece.length; at += limits.blockBytes) {
      const part = piece.subarray(at, at + limits.blockBytes);
      if (size + part.length > limits.blockBytes) {
        yield Buffer.concat(batch);
        [batch, size] = [[], 0];
      }
      batch.push(part);
      size += part.length;
    }
  if (size > 0) yield Buffer.concat(batch);
}
