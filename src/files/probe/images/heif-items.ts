/** The items of an HEIF or AVIF file: images, and what belongs to them (ISO/IEC 14496-12, 8.11). */
import type { BlockReader } from "../bytes.ts";
import { type Box, boxesIn, dataOf, topLevelBoxes } from "./boxes.ts";
import { requireValid, tagAt, viewOf } from "./container.ts";

/** Version and flags of a full box. */
export const fullBytes = 4;
const metaBytesMax = 2 ** 20;
/** More than the largest image that is decoded. */
const itemBytesMax = 64 * 2 ** 20;

export interface HeifItems {
  /** The item that is shown; null if there is none. */
  primary: number | null;
  /** Such as `hvc1`, `av01` or `grid`; empty for an unknown item. */
  typeOf(item: number): string;
  /** The properties of an item, in the order in which they apply. */
  propertiesOf(item: number): Box[];
  /** The items that this one refers to. */
  referencesOf(item: number, type: string): number[];
  /** The items that refer to this one. */
  referencesTo(item: number, type: string): number[];
  /** The data of an item. Throws if it is not in this file. */
  read(item: number): Uint8Array;
}

export function readItems(file: BlockReader): HeifItems {
  const meta = boxesIn(findMeta(file).subarray(fullBytes));
  const table = (name: string) => new Fields(dataOf(meta, name) ?? new Uint8Array(fullBytes));
  const primary = dataOf(meta, "pitm") ? table("pitm") : null;
  const types = readTypes(table("iinf"));
  const references = readReferences(table("iref"));
  const properties = boxesIn(dataOf(meta, "iprp") ?? new Uint8Array());
  const all = boxesIn(dataOf(properties, "ipco") ?? new Uint8Array());
  const associations = properties.filter(({ name }) => name === "ipma").map(({ data }) => data);
  return {
    primary: primary?.number(primary.version === 0 ? 2 : 4) ?? null,
    typeOf: (item) => types.get(item) ?? "",
    propertiesOf: (item) =>
      associations
        .flatMap((association) => indicesOf(new Fields(association), item))
        .flatMap((index) => all[index - 1] ?? []),
    referencesOf: (item, type) =>
      references.flatMap((one) => (one.type === type && one.from === item ? one.to : [])),
    referencesTo: (item, type) =>
      references.flatMap((one) => (one.type === type && one.to.includes(item) ? [one.from] : [])),
    read(item) {
      const { extents, isInMeta } = findExtents(table("iloc"), item);
      const length = extents.reduce((sum, extent) => sum + extent.length, 0);
      requireValid(length > 0 && length <= itemBytesMax, "no data");
      const data = dataOf(meta, "idat") ?? new Uint8Array();
      return Buffer.concat(
        extents.map(({ offset, length }) =>
          isInMeta ? data.subarray(offset, offset + length) : file.read(offset, length),
        ),
      );
    },
  };
}

/** The numbers of a full box, one after another. */
class Fields {
  readonly #view: DataView;
  readonly version: number;
  readonly flags: number;
  at = fullBytes;

  constructor(readonly bytes: Uint8Array) {
    this.#view = viewOf(bytes);
    this.version = this.#view.getUint8(0);
    this.flags = this.#view.getUint32(0) & 0xffffff;
  }

  get isAtEnd(): boolean {
    return this.at >= this.bytes.length;
  }

  /** Of 0 to 8 bytes. */
  number(bytes: number): number {
    let value = 0;
    for (let left = bytes; left > 0; left--) value = value * 256 + this.#view.getUint8(this.at++);
    return value;
  }
}

function readTypes(table: Fields): Map<number, string> {
  const start = fullBytes + (table.version === 0 ? 2 : 4);
  return new Map(
    boxesIn(table.bytes.subarray(start)).map(({ data }) => {
      const entry = new Fields(data);
      const item = entry.number(entry.version === 2 ? 2 : 4);
      return [item, tagAt(data, entry.at + 2)];
    }),
  );
}

function readReferences(table: Fields): { type: string; from: number; to: number[] }[] {
  const bytes = table.version === 0 ? 2 : 4;
  return boxesIn(table.bytes.subarray(fullBytes)).map(({ name, data }) => {
    const fields = new Fields(data);
    fields.at = 0;
    const from = fields.number(bytes);
    return { type: name, from, to: Array.from({ length: fields.number(2) }, () => fields.number(bytes)) };
  });
}

function findExtents(
  table: Fields,
  wanted: number,
): { extents: { offset: number; length: number }[]; isInMeta: boolean } {
  const sizes = table.number(2);
  const [offsetBytes, lengthBytes, baseBytes] = [sizes >> 12, (sizes >> 8) & 15, (sizes >> 4) & 15];
  const indexBytes = table.version === 0 ? 0 : sizes & 15;
  const idBytes = table.version < 2 ? 2 : 4;
  for (let left = table.number(idBytes); left > 0; left--) {
    const item = table.number(idBytes);
    const method = table.version === 0 ? 0 : table.number(2) & 15;
    const isHere = table.number(2) === 0 && method < 2;
    const base = table.number(baseBytes);
    const extents = Array.from({ length: table.number(2) }, () => {
      table.number(indexBytes);
      return { offset: base + table.number(offsetBytes), length: table.number(lengthBytes) };
    });
    if (item === wanted) return { extents: isHere ? extents : [], isInMeta: method === 1 };
  }
  return { extents: [], isInMeta: false };
}

/** The numbers of the properties of an item, from 1. */
function indicesOf(association: Fields, wanted: number): number[] {
  const [idBytes, indexBytes] = [association.version === 0 ? 2 : 4, (association.flags & 1) + 1];
  for (let left = association.number(4); left > 0 && !association.isAtEnd; left--) {
    const item = association.number(idBytes);
    const length = association.number(1);
    // The highest bit says whether a reader has to understand the property.
    const indices = Array.from(
      { length },
      () => association.number(indexBytes) & (2 ** (8 * indexBytes - 1) - 1),
    );
    if (item === wanted) return indices;
  }
  return [];
}

/** The box is at the top level, after that of the file type. */
function findMeta(file: BlockReader): Uint8Array {
  for (const { name, start, end } of topLevelBoxes(file))
    if (name === "meta") return file.read(start, Math.min(metaBytesMax, end - start));
  return new Uint8Array();
}
