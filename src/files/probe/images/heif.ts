/** The size of an HEIF or AVIF image, from the properties of its primary item (ISO/IEC 23008-12, 6 and 9). */
import type { BlockReader } from "../bytes.ts";
import { type Geometry, upright } from "../geometry.ts";
import { requireValid, tagAt, viewOf } from "./container.ts";

interface Box {
  name: string;
  /** What follows its header. */
  data: Uint8Array;
}

const boxHeaderBytes = 8;
/** Version and flags of a full box. */
const fullBytes = 4;
const metaBytesMax = 2 ** 20;
const boxesMax = 64;
/** By quarter turns to the left, then by what is exchanged: nothing, top and bottom, left and right. */
const orientations = [
  [1, 4, 2],
  [8, 5, 7],
  [3, 2, 4],
  [6, 7, 5],
] as const;

/** Null without a primary item that has a size. */
export function readHeif(file: BlockReader): Geometry | null {
  const meta = boxesIn(findMeta(file).subarray(fullBytes));
  const [primary, properties] = [dataOf(meta, "pitm"), dataOf(meta, "iprp")];
  if (!primary || !properties) return null;
  const item = primary[0] === 0 ? viewOf(primary).getUint16(fullBytes) : viewOf(primary).getUint32(fullBytes);
  const children = boxesIn(properties);
  const all = boxesIn(dataOf(children, "ipco") ?? new Uint8Array());
  const associations = children.filter(({ name }) => name === "ipma");
  const own = associations
    .flatMap(({ data }) => indicesOf(data, item))
    .flatMap((index) => all[index - 1] ?? []);
  const extent = dataOf(own, "ispe");
  if (!extent) return null;
  const [view, aperture] = [viewOf(extent), dataOf(own, "clap")];
  const size = { width: view.getUint32(fullBytes), height: view.getUint32(fullBytes + 4) };
  const turns = (dataOf(own, "irot")?.[0] ?? 0) & 3;
  const mirror = dataOf(own, "imir")?.[0];
  const orientation = orientations[turns]?.[mirror === undefined ? 0 : 1 + (mirror & 1)] ?? upright;
  return { ...size, ...(aperture && cleanAperture(aperture)), orientation };
}

/** Whether the image is put together of tiles, of which ffmpeg may take one for the whole. */
export function isTiled(file: BlockReader): boolean {
  const meta = boxesIn(findMeta(file).subarray(fullBytes));
  const items = dataOf(meta, "iinf") ?? new Uint8Array();
  const entries = boxesIn(items.subarray(fullBytes + (items[0] === 0 ? 2 : 4)));
  return entries.some(({ data }) => tagAt(data, fullBytes + (data[0] === 2 ? 4 : 6)) === "grid");
}

/** The box is at the top level, after that of the file type. */
function findMeta(file: BlockReader): Uint8Array {
  let at = 0;
  for (let box = 0; box < boxesMax && at + boxHeaderBytes <= file.size; box++) {
    const header = file.read(at, boxHeaderBytes);
    const length = viewOf(header).getUint32(0);
    if (tagAt(header, 4) === "meta")
      return file.read(at + boxHeaderBytes, Math.min(metaBytesMax, length - boxHeaderBytes));
    requireValid(length >= boxHeaderBytes, "no size");
    at += length;
  }
  return new Uint8Array();
}

function boxesIn(bytes: Uint8Array): Box[] {
  const boxes: Box[] = [];
  for (let at = 0; at + boxHeaderBytes <= bytes.length; ) {
    const length = viewOf(bytes).getUint32(at);
    if (length < boxHeaderBytes) break;
    boxes.push({ name: tagAt(bytes, at + 4), data: bytes.subarray(at + boxHeaderBytes, at + length) });
    at += length;
  }
  return boxes;
}

const dataOf = (boxes: Box[], name: string): Uint8Array | undefined =>
  boxes.find((box) => box.name === name)?.data;

/** The properties of an item, from 1, in the order in which they apply. */
function indicesOf(association: Uint8Array, item: number): number[] {
  const view = viewOf(association);
  const [isLong, isWide] = [association[0] !== 0, ((association[3] as number) & 1) === 1];
  let at = fullBytes + 4;
  for (let left = view.getUint32(fullBytes); left > 0; left--) {
    const id = isLong ? view.getUint32(at) : view.getUint16(at);
    const first = at + (isLong ? 5 : 3);
    const count = association[first - 1] as number;
    at = first + count * (isWide ? 2 : 1);
    if (id === item)
      return Array.from({ length: count }, (_, index) =>
        isWide ? view.getUint16(first + 2 * index) & 0x7fff : (association[first + index] as number) & 0x7f,
      );
  }
  return [];
}

/** Its size, as two fractions. */
function cleanAperture(data: Uint8Array): { width: number; height: number } {
  const fraction = (at: number) => Math.round(viewOf(data).getUint32(at) / viewOf(data).getUint32(at + 4));
  return { width: fraction(0), height: fraction(8) };
}
