/**
 * The child process, which does all parsing of uploaded files. It opens no files; it exchanges one message at
 * a time with its parent, which kills it if it takes too long.
 */
import { Problem } from "../../problem.ts";
import { blockReader } from "../bytes.ts";
import { limits } from "../limits.ts";
import type { ThumbnailFormatName } from "../port.ts";
import { encodeFrame, type Frame, readFrame } from "./message-frames.ts";

/** Blocking reads and writes of the child's pipes. `read` returns exactly `length` bytes. */
export interface Pipe {
  read(length: number): Uint8Array;
  write(bytes: Uint8Array): void;
}

export type JobKind = "inspect" | "thumbnail" | "timeline" | "removal" | "unbundle";

/** The parent's reply to `ready`. Its body holds the first bytes of the file, if the parent has them. */
export interface Job {
  work: JobKind;
  size: number;
  mime: string;
  /** Of a thumbnail. */
  format?: ThumbnailFormatName;
}

export async function runProbeChild(pipe: Pipe): Promise<void> {
  const send = (head: Frame["head"], body?: Uint8Array): Frame => {
    pipe.write(encodeFrame(head, body));
    return readFrame(pipe.read, limits.frameBytes);
  };
  const nextJob = (say: "ready" | "done") => {
    const { head, body } = send({ say });
    return { ...(head as unknown as Job), head: body }; // safe because: the parent is this same program
  };
  let job = nextJob("ready");
  const readBytesMax = job.work === "unbundle" ? limits.bundleReadBytes : limits.readBytes;
  const readerOf = ({ size, head }: typeof job) =>
    blockReader(size, readBytesMax, (offset, length) => send({ say: "read", offset, length }).body, head);
  const file = readerOf(job);
  if (job.work === "inspect") {
    const { inspect } = await import("../inspect.ts");
    // One file after another, until the parent ends the process.
    for (;;) {
      await inspect(readerOf(job), (inspection, isAll) => send({ say: "found", found: inspection, isAll }));
      job = nextJob("done");
    }
  } else if (job.work === "thumbnail") {
    const { thumbnailOf } = await import("../images/image.ts");
    // damaged, or larger than we decode
    const thumbnail = await thumbnailOf(file, job.mime, job.format).catch(() => null);
    send({ say: "done" }, thumbnail ?? undefined);
  } else if (job.work === "timeline") {
    const { readTimeline } = await import("../timeline/timeline.ts");
    send({ say: "done", timeline: await readTimeline(file, job.mime) });
  } else if (job.work === "removal") {
    const { removalEdits } = await import("../provenance/removal.ts");
    const edits = removalEdits(file, job.mime);
    const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64");
    send({
      say: "done",
      edits:
        edits?.map(({ replacement, ...edit }) => ({ ...edit, replacement: base64(replacement) })) ?? null,
    });
  } else {
    const { unbundle } = await import("../bundle/bundle.ts");
    try {
      const { index } = await unbundle(file, {
        file: (entry) => void send({ say: "file", ...entry }),
        bytes: (bytes) => void send({ say: "bytes" }, bytes),
      });
      send({ say: "done", index });
    } catch (error) {
      send({
        say: "refused",
        detail: error instanceof Problem ? error.detail : "The bundle cannot be unpacked.",
      });
    }
  }
}
