/** Receives the files of a bundle from the child process that unpacks it, and passes them to a sink. */

import { badRequest, unavailable } from "../../../core/problem.ts";
import { limits } from "../limits.ts";
import type { Bundle, BundleFile, Sink } from "../port.ts";
import type { Frame } from "../sandbox/message-frames.ts";
import type { ChildConnection } from "../sandbox/parent-protocol.ts";

import { requireSafePath } from "./names.ts";

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
    requireFrame(child, frame);
  }

  while (requireFrame(child, frame).head.say !== "done") {
    if (frame?.head.say === "file") {
      const fileFrame = frame;
      const file = fileOf(fileFrame);
      await sink.write(file, bytes());
      files.push(file);
      // The sink may return before it has read all of the file, or any of it.
      if (frame === fileFrame) frame = await child.next();
    }
    while (frame?.head.say === "bytes") frame = await child.next();
  }
  return { index: String(frame?.head.index), files };
}

function requireFrame({ child }: ChildConnection, frame: Frame | null): Frame {
  if (child.wasKilledByOthers)
    throw unavailable("The bundle could not be unpacked at the moment. Try again later.");
  if (frame === null) throw limitExceeded();
  if (frame.head.say === "refused") throw badRequest(String(frame.head.detail));
  return frame;
}

const limitExceeded = () => badRequest("The bundle cannot be unpacked within the time and memory limits.");

/** The child already checked the path, but it parsed untrusted bytes, so the parent checks again. */
function fileOf({ head }: Frame): BundleFile {
  const path = String(head.path);
  requireSafePath(path);
  return { path, size: Number(head.size), mime: String(head.mime) };
}
