/** Whether an MP4 or QuickTime file can be played before all of it has arrived. */
import type { BlockReader } from "../bytes.ts";

const boxesMax = 64;

/** Whether its index (`moov`) comes after the media data (ISO/IEC 14496-12, 4.2 and 8.2). */
export function isIndexLast(file: BlockReader): boolean {
  let at = 0;
  for (let box = 0; box < boxesMax && at + 8 <= file.size; box++) {
    const header = Buffer.from(file.read(at, 16));
    const name = header.toString("latin1", 4, 8);
    if (name === "moov") return false;
    if (name === "mdat") return true;
    const size = header.readUInt32BE(0);
    // 1: a 64-bit size follows; 0: up to the end of the file
    const length = size === 1 && header.length === 16 ? Number(header.readBigUInt64BE(8)) : size;
    if (length < 8) return false;
    at += length;
  }
  return false;
}
