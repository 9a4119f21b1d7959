/**
 * HEIF and AVIF (ISO/IEC 23008-12): how the primary image is shown, and its coded tiles as streams of video,
 * whose frames any ffmpeg decodes and puts together.
 */
import type { BlockReader } from "../bytes.ts";
import { type Geometry, upright } from "../geometry.ts";
import { type Box, dataOf } from "./boxes.ts";
import type { CodedImage } from "./coded-image.ts";
import { codedProfile } from "./color-profile.ts";
import { requireValid, viewOf } from "./container.ts";
import { fullBytes, type HeifItems, readItems } from "./heif-items.ts";

export const heifTypes = new Set(
  ["avif", "heic", "heif", "heic-sequence", "heif-sequence"].map((name) => `image/${name}`),
);

/** By quarter turns to the left, then by what is exchanged: nothing, top and bottom, left and right. */
const orientations = [
  [1, 4, 2],
  [8, 5, 7],
  [3, 2, 4],
  [6, 7, 5],
] as const;

/** Null without a primary item that has a size. */
export function readHeif(file: BlockReader): Geometry | null {
  const { primary, propertiesOf } = readItems(file);
  return primary === null ? null : geometryOf(propertiesOf(primary));
}

function geometryOf(properties: Box[]): Geometry | null {
  const [extent, aperture] = [dataOf(properties, "ispe"), dataOf(properties, "clap")];
  if (!extent) return null;
  const size = {
    width: viewOf(extent).getUint32(fullBytes),
    height: viewOf(extent).getUint32(fullBytes + 4),
  };
  const turns = (dataOf(properties, "irot")?.[0] ?? 0) & 3;
  const mirror = dataOf(properties, "imir")?.[0];
  const orientation = orientations[turns]?.[mirror === undefined ? 0 : 1 + (mirror & 1)] ?? upright;
  return { ...size, ...(aperture && cleanAperture(aperture)), orientation };
}

/** Its size, as two fractions. */
function cleanAperture(data: Uint8Array): { width: number; height: number } {
  const fraction = (at: number) => Math.round(viewOf(data).getUint32(at) / viewOf(data).getUint32(at + 4));
  return { width: fraction(0), height: fraction(8) };
}

interface Layer {
  columns: number;
  rows: number;
  /** What the tiles show together; a tile at the edge may show more. */
  width: number;
  height: number;
  tiles: number[];
}

export interface CodedHeif {
  image: CodedImage;
  profile: Uint8Array | undefined;
  /** The streams of the colors and, if there is one, of the alpha channel, in pieces. */
  streams: Generator<Uint8Array>[];
}

/** Null for an image that is put together in another way, or coded by another codec. */
export function readCodedHeif(file: BlockReader): CodedHeif | null {
  const items = readItems(file);
  const { primary } = items;
  if (primary === null) return null;
  const properties = items.propertiesOf(primary);
  const geometry = geometryOf(properties);
  const colors = layerOf(items, primary);
  const codec = codecs[items.typeOf(colors?.tiles[0] ?? primary)];
  if (!geometry || !colors || !codec) return null;
  const alphaItem = items.referencesTo(primary, "auxl").find((item) => isAlpha(items.propertiesOf(item)));
  const alpha = alphaItem === undefined ? null : layerOf(items, alphaItem);
  const { tiles: _, ...grid } = colors;
  const { profile, ...color } = readColor(properties);
  return {
    image: {
      ...grid,
      demuxer: codec.demuxer,
      orientation: geometry.orientation,
      crop: { width: geometry.width, height: geometry.height },
      alpha: alpha && { columns: alpha.columns, rows: alpha.rows },
      ...color,
    },
    profile,
    streams: [colors, ...(alpha ? [alpha] : [])].map(({ tiles }) => codec.stream(items, tiles)),
  };
}

function layerOf(items: HeifItems, item: number): Layer | null {
  const size = geometryOf(items.propertiesOf(item).filter(({ name }) => name === "ispe"));
  if (!size) return null;
  const { width, height } = size;
  if (items.typeOf(item) !== "grid") return { columns: 1, rows: 1, width, height, tiles: [item] };
  const [, , lastRow = 0, lastColumn = 0] = items.read(item);
  const [columns, rows] = [lastColumn + 1, lastRow + 1];
  const tiles = items.referencesOf(item, "dimg");
  return tiles.length === columns * rows ? { columns, rows, width, height, tiles } : null;
}

const isAlpha = (properties: Box[]): boolean =>
  /alpha|hevc:2015:auxid:1\0/.test(Buffer.from(dataOf(properties, "auxC") ?? []).toString("latin1"));

/** Matrices that ffmpeg is told, by their numbers in ITU-T H.273, table 4. */
const matrices: Record<number, CodedImage["matrix"]> = { 1: "bt709", 5: "bt601", 6: "bt601", 9: "bt2020" };

/** Of its color properties: a profile, and how samples become colors. */
function readColor(
  properties: Box[],
): Pick<CodedImage, "matrix" | "isFullRange"> & Pick<CodedHeif, "profile"> {
  const boxes = properties.filter(({ name }) => name === "colr").map(({ data }) => Buffer.from(data));
  const kindOf = (box: Buffer) => box.toString("latin1", 0, 4);
  const coded = boxes.find((box) => kindOf(box) === "nclx" && box.length >= 11);
  const profile = boxes.find((box) => kindOf(box) === "prof" || kindOf(box) === "rICC")?.subarray(4);
  return {
    profile: profile ?? (coded && codedProfile(coded.readUInt16BE(4), coded.readUInt16BE(6))),
    matrix: (coded && matrices[coded.readUInt16BE(8)]) ?? null,
    isFullRange: coded ? ((coded[10] as number) & 0x80) !== 0 : null,
  };
}

interface Codec {
  demuxer: CodedImage["demuxer"];
  stream(items: HeifItems, tiles: number[]): Generator<Uint8Array>;
}

const codecs: Record<string, Codec> = {
  hvc1: { demuxer: "hevc", stream: hevcStream },
  av01: { demuxer: "ivf", stream: av1Stream },
};

const startCode = Uint8Array.of(0, 0, 0, 1);

/** A byte stream (ITU-T H.265, annex B) of an image after another, each with its parameter sets. */
function* hevcStream(items: HeifItems, tiles: number[]): Generator<Uint8Array> {
  for (const tile of tiles) {
    const configuration = Buffer.from(dataOf(items.propertiesOf(tile), "hvcC") ?? []);
    requireValid(configuration.length > 22, "no configuration");
    let at = 23;
    for (let arrays = configuration[22] as number; arrays > 0; arrays--) {
      let left = configuration.readUInt16BE(at + 1);
      for (at += 3; left > 0; left--) {
        const end = at + 2 + configuration.readUInt16BE(at);
        yield Buffer.concat([startCode, configuration.subarray(at + 2, end)]);
        at = end;
      }
    }
    const lengthBytes = ((configuration[21] as number) & 3) + 1;
    const data = Buffer.from(items.read(tile));
    for (let at = 0; at + lengthBytes < data.length; ) {
      const end = at + lengthBytes + data.readUIntBE(at, lengthBytes);
      yield Buffer.concat([startCode, data.subarray(at + lengthBytes, end)]);
      at = end;
    }
  }
}

/** IVF, the plain container of libvpx. */
function* av1Stream(items: HeifItems, tiles: number[]): Generator<Uint8Array> {
  const header = Buffer.alloc(32);
  header.write("DKIF\0\0\x20\0AV01", "latin1");
  header.writeUInt32LE(25, 16);
  header.writeUInt32LE(1, 20);
  header.writeUInt32LE(tiles.length, 24);
  yield header;
  for (const [index, tile] of tiles.entries()) {
    const data = items.read(tile);
    const frame = Buffer.alloc(12);
    frame.writeUInt32LE(data.length, 0);
    frame.writeUInt32LE(index, 4);
    yield Buffer.concat([frame, data]);
  }
}
