/** Boxes of MP4, HEIF, and JPEG XL (ISO/IEC 14496-12, 4.2). */
import type { BlockReader } from "../bytes.ts";
import { tagAt, viewOf } from "./container.ts";

export interface Box {
  name: string;
  /** What follows its header. */
  data: Uint8Array;
}

const headerBytes = 8;
const boxesMax = 10_000;

/** The boxes at the top level of a file, up to one without a valid size: where their content is. */
export function* topLevelBoxes(file: BlockReader): Generator<{ name: string; start: number; end: number }> {
  for (let at = 0, boxes = 0; at + headerBytes <= file.size && boxes < boxesMax; boxes++) {
    const header = file.read(at, 2 * headerBytes);
    const view = viewOf(header);
    const isLong = view.getUint32(0) === 1;
    if (isLong && header.length < 2 * headerBytes) return;
    const size = isLong ? Number(view.getBigUint64(headerBytes)) : view.getUint32(0);
    const start = at + (isLong ? 2 : 1) * headerBytes;
    const end = size === 0 ? file.size : at + size;
    yield { name: tagAt(header, 4), start, end };
    if (end < start) return;
    at = end;
  }
}

/** The boxes within another. */
export function boxesIn(bytes: Uint8Array): Box[] {
  const boxes: Box[] = [];
  for (let at = 0; at + headerBytes <= bytes.length; ) {
    const length = viewOf(bytes).getUint32(at);
    if (length < headerBytes) break;
    boxes.push({ name: tagAt(bytes, at + 4), data: bytes.subarray(at + headerBytes, at + length) });
    at += length;
  }
  return boxes;
}

export const dataOf = (boxes: Box[], name: string): Uint8Array | undefined =>
  boxes.find((box) => box.name === name)?.data;
