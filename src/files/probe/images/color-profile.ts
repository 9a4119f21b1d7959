/** Color profiles of color spaces that a file names by numbers instead of by a profile (ICC.1:2001-04). */

import { requireValid } from "./container.ts";

type Chromaticity = readonly [x: number, y: number];
/** Of white, red, green and blue. */
export type Primaries = readonly [Chromaticity, Chromaticity, Chromaticity, Chromaticity];

const d65: Chromaticity = [0.3127, 0.329];
const p3: Primaries = [d65, [0.68, 0.32], [0.265, 0.69], [0.15, 0.06]];
export const bt709: Primaries = [d65, [0.64, 0.33], [0.3, 0.6], [0.15, 0.06]];
/** By their numbers in ITU-T H.273, table 2; those of SD television are nearly those of 1. */
const primariesOf: Record<number, Primaries> = {
  1: bt709,
  9: [d65, [0.708, 0.292], [0.17, 0.797], [0.131, 0.046]],
  11: [
    [0.314, 0.351],
    [0.68, 0.32],
    [0.265, 0.69],
    [0.15, 0.06],
  ],
  12: p3,
};

/** From a sample of 0 to 1 to light, where 1 is the white of paper. */
type Transfer = (sample: number) => number;

const srgb: Transfer = (value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
export const gamma =
  (exponent: number): Transfer =>
  (value) =>
    value ** exponent;
/** Of HDR, in nits. Chromium shows twice the light of ITU-R BT.2408's white as white, and all above. */
const [hdrWhite, pqPeak, hlgPeak] = [2 * 203, 10_000, 1_000];

/** SMPTE ST 2084. */
const pq: Transfer = (value) => {
  const root = value ** (1 / 78.84375);
  const light = (Math.max(0, root - 0.8359375) / (18.8515625 - 18.6875 * root)) ** (1 / 0.1593017578125);
  return (light * pqPeak) / hdrWhite;
};
/** ITU-R BT.2100, with the gamma of a display of 1,000 nits. */
const hlg: Transfer = (value) => {
  const light =
    value <= 0.5 ? value ** 2 / 3 : (Math.exp((value - 0.55991073) / 0.17883277) + 0.28466892) / 12;
  return (light ** 1.2 * hlgPeak) / hdrWhite;
};

/** By their numbers in ITU-T H.273, table 3; browsers show those of television as sRGB. */
const transferOf: Record<number, Transfer> = { 4: gamma(2.2), 5: gamma(2.8), 8: gamma(1), 16: pq, 18: hlg };

/** A profile of a color space by its numbers (ITU-T H.273); undefined if that is sRGB, or unknown. */
export function codedProfile(primaries: number, transfer: number): Uint8Array | undefined {
  const known = primariesOf[primaries] ?? bt709;
  const curve = transferOf[transfer] ?? srgb;
  return known === bt709 && curve === srgb ? undefined : makeProfile(known, curve);
}

/** An RGB profile of the second version (ICC.1:2001-04): three colors, and one curve for each. */
export function makeProfile(primaries: Primaries, transfer: Transfer = srgb): Uint8Array {
  const tags: [names: string[], data: Buffer][] = [
    [["desc"], Buffer.concat([Buffer.from("desc\0\0\0\0\0\0\0\x04svc\0", "latin1"), Buffer.alloc(78)])],
    [["cprt"], Buffer.from("text\0\0\0\0none", "latin1")],
    [["wtpt"], xyzTag(d50)],
    ...adaptedColors(primaries).map((xyz, index): [string[], Buffer] => [
      [["rXYZ", "gXYZ", "bXYZ"][index] as string],
      xyzTag(xyz),
    ]),
    [["rTRC", "gTRC", "bTRC"], curveTag(transfer)],
  ];
  const count = tags.reduce((sum, [names]) => sum + names.length, 0);
  const table = Buffer.alloc(4 + 12 * count);
  table.writeUInt32BE(count, 0);
  let [at, offset] = [4, 128 + table.length];
  for (const [names, data] of tags) {
    for (const name of names) {
      table.write(name, at, "latin1");
      table.writeUInt32BE(offset, at + 4);
      at = table.writeUInt32BE(data.length, at + 8);
    }
    offset += data.length;
  }
  const header = Buffer.alloc(128);
  header.writeUInt32BE(offset, 0);
  header.write("\x02\x10\0\0mntrRGB XYZ ", 8, "latin1");
  header.write("acsp", 36, "latin1");
  xyzTag(d50).copy(header, 68, 8);
  return Buffer.concat([header, table, ...tags.map(([, data]) => data)]);
}

/** The light of a profile's connection space. */
const d50 = [0.9642, 1, 0.8249] as const;
type Vector = readonly [number, number, number];
type Matrix = readonly [Vector, Vector, Vector];
/** From XYZ to the responses of the eye, by Bradford (ICC.1:2022, annex E). */
const bradford: Matrix = [
  [0.8951, 0.2664, -0.1614],
  [-0.7502, 1.7135, 0.0367],
  [0.0389, -0.0685, 1.0296],
];

const apply = (rows: Matrix, vector: Vector): Vector =>
  rows.map((row) => row.reduce((sum, factor, index) => sum + factor * (vector[index] as number), 0)) as never;

const cross = (a: Vector, b: Vector): Vector => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
];

const transpose = (rows: Matrix): Matrix => [0, 1, 2].map((at) => rows.map((row) => row[at as 0])) as never;

function inverse(rows: Matrix): Matrix {
  const [a, b, c] = rows;
  const columns: Matrix = [cross(b, c), cross(c, a), cross(a, b)];
  const determinant = columns[0].reduce((sum, value, index) => sum + value * (a[index] as number), 0);
  requireValid(determinant !== 0, "colors without an area");
  return transpose(columns.map((column) => column.map((value) => value / determinant)) as never);
}

/** XYZ of red, green and blue, as they look in the light of the connection space. */
function adaptedColors([white, ...colors]: Primaries): Matrix {
  const xyzOf = ([x, y]: Chromaticity): Vector => [x / y, 1, (1 - x - y) / y];
  const stated = colors.map(xyzOf) as never as Matrix;
  const shares = apply(inverse(transpose(stated)), xyzOf(white));
  const [from, to] = [apply(bradford, xyzOf(white)), apply(bradford, d50)];
  const toEye = (xyz: Vector) =>
    apply(bradford, xyz).map((part, at) => (part * (to[at] as number)) / (from[at] as number));
  const back = inverse(bradford);
  return stated.map((xyz, at) =>
    apply(back, toEye(xyz.map((part) => part * (shares[at] as number)) as never) as never),
  ) as never;
}

const fixed = (value: number): number => Math.round(value * 65_536);

function xyzTag(xyz: Vector): Buffer {
  const tag = Buffer.alloc(20);
  tag.write("XYZ ", "latin1");
  for (const [index, value] of xyz.entries()) tag.writeInt32BE(fixed(value), 8 + 4 * index);
  return tag;
}

const curvePoints = 1024;

function curveTag(transfer: Transfer): Buffer {
  const tag = Buffer.alloc(12 + 2 * curvePoints);
  tag.write("curv", "latin1");
  tag.writeUInt32BE(curvePoints, 8);
  for (let point = 0; point < curvePoints; point++) {
    const light = Math.min(1, Math.max(0, transfer(point / (curvePoints - 1))));
    tag.writeUInt16BE(Math.round(light * 65_535), 12 + 2 * point);
  }
  return tag;
}
