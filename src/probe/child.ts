/**
 * The child's side: all parsing of uploaded bytes. It opens nothing; it talks to its parent, one message up
 * and one down, and is killed when it does not come back in time.
 */
import { Problem } from "../problem.ts";
import { inBlocks } from "./bytes.ts";
import { limits } from "./limits.ts";
import { encodeFrame, type Frame, readFrame } from "./message-frames.ts";

/** The two ends of its pipes; both wait. `read` gives exactly `length` bytes. */
export interface Pipe {
  read(length: number): Uint8Array;
  write(bytes: Uint8Array): void;
}

export type Work = "inspect" | "thumbnail" | "unbundle";

/** What a parent answers to `ready`, with the first bytes of the file where it has them. */
export interface Job {
  work: Work;
  size: number;
  mime: string;
}

export async function probe(pipe: Pipe): Promise<void> {
  const tell = (head: Frame["head"], body?: Uint8Array): Frame => {
    pipe.write(encodeFrame(head, body));
    return readFrame(pipe.read, limits.frameBytes);
  };
  const nextJob = (say: "ready" | "done") => {
    const { head, body } = tell({ say });
    return { ...(head as unknown as Job), head: body }; // safe because: the parent is this same program
  };
  let job = nextJob("ready");
  const readBytesMax = job.work === "unbundle" ? limits.bundleReadBytes : limits.readBytes;
  const fileOf = ({ size, head }: typeof job) =>
    inBlocks(size, readBytesMax, (offset, length) => tell({ say: "read", offset, length }).body, head);
  const file = fileOf(job);
  if (job.work === "inspect") {
    const { inspect } = await import("./inspect.ts");
    // For as long as it is asked about another one.
    for (;;) {
      await inspect(fileOf(job), (found, isAll) => tell({ say: "found", found, isAll }));
      job = nextJob("done");
    }
  } else if (job.work === "thumbnail") {
    const { thumbnailOf } = await import("./images/image.ts");
    // damaged, or larger than we decode
    const thumbnail = await thumbnailOf(file, job.mime).catch(() => null);
    tell({ say: "done" }, thumbnail ?? undefined);
  } else {
    const { unbundle } = await import("./bundle/bundle.ts");
    try {
      const { index } = await unbundle(file, {
        file: (one) => void tell({ say: "file", ...one }),
        bytes: (bytes) => void tell({ say: "bytes" }, bytes),
      });
      tell({ say: "done", index });
    } catch (error) {
      tell({
        say: "refused",
        detail: error instanceof Problem ? error.detail : "The bundle cannot be unpacked.",
      });
    }
  }
}
