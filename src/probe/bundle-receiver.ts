/** The files of a bundle, from the child that unpacks it into the sink that keeps them. */
import { badRequest } from "../problem.ts";
import type { Bundle, BundleFile } from "./bundle/bundle.ts";
import { safePath } from "./bundle/names.ts";
import { limits } from "./limits.ts";
import type { Frame } from "./message-frames.ts";
import type { ChildConnection } from "./parent-protocol.ts";

export interface Sink {
  /**
   * Keeps one file, one after the other. It has `file.size` bytes when `bytes` ends; when `bytes` throws, it
   * is not whole.
   */
  write(file: BundleFile, bytes: AsyncIterable<Uint8Array>): Promise<void>;
  /** Takes back whatever was kept, and what was begun. */
  discard(): Promise<void>;
}

export async function receiveBundle(child: ChildConnection, sink: Sink): Promise<Bundle> {
  const files: BundleFile[] = [];
  let total = 0;
  let frame = await child.next();

  async function* bytes(): AsyncGenerator<Uint8Array> {
    for (frame = await child.next(); frame?.head.say === "bytes"; frame = await child.next()) {
      total += frame.body.length;
      if (total > limits.bundleBytes) throw limitExceeded();
      yield frame.body;
    }
    requireFrame(frame);
  }

  while (requireFrame(frame).head.say !== "done") {
    if (frame?.head.say === "file") {
      const fileFrame = frame;
      const file = fileOf(fileFrame);
      await sink.write(file, bytes());
      files.push(file);
      // A sink that has enough leaves the rest, or did not even begin.
      if (frame === fileFrame) frame = await child.next();
    }
    while (frame?.head.say === "bytes") frame = await child.next();
  }
  return { index: String(frame?.head.index), files };
}

function requireFrame(frame: Frame | null): Frame {
  if (frame === null) throw limitExceeded();
  if (frame.head.say === "refused") throw badRequest(String(frame.head.detail));
  return frame;
}

const limitExceeded = () => badRequest("The bundle cannot be unpacked within the time and memory limits.");

/** The child checked the path; it also saw the file, so it is not believed. */
const fileOf = ({ head: { path, size, mime } }: Frame): BundleFile => ({
  path: safePath(Buffer.from(String(path))),
  size: Number(size),
  mime: String(mime),
});
