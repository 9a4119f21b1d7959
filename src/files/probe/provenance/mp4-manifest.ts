/** Whether an MP4 holds a C2PA manifest: a top-level `uuid` box with the id of the specification (A.5.1). */
import type { BlockReader } from "../bytes.ts";
import { tagAt, viewOf } from "../images/container.ts";

const manifestId = "d8fec3d61b0e483c92975828877ec481";
const boxesMax = 10_000;

export function hasManifest(file: BlockReader): boolean {
  for (let at = 0, boxes = 0; at + 8 <= file.size && boxes < boxesMax; boxes++) {
    const header = file.read(at, 32);
    const view = viewOf(header);
    const isLong = view.getUint32(0) === 1;
    if (isLong && header.length < 16) return false;
    const size = isLong ? Number(view.getBigUint64(8)) : view.getUint32(0);
    const content = isLong ? 16 : 8;
    if (tagAt(header, 4) === "uuid" && hexOf(header.subarray(content, content + 16)) === manifestId)
      return true;
    if (size < content) return false; // 0: up to the end of the file
    at += size;
  }
  return false;
}

const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");
