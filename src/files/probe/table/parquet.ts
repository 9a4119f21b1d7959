/** In the child: the first rows of a Parquet file. A column that cannot be read is left empty, and named. */
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from "node:zlib";
import {
  type AsyncBuffer,
  type Compressors,
  type FileMetaData,
  parquetMetadataAsync,
  parquetReadObjects,
  parquetSchema,
  type SchemaTree,
} from "hyparquet";
import type { BlockReader } from "../bytes.ts";
import { limits } from "../limits.ts";
import { type TableContents, tableLimits } from "./schema.ts";

/** Pages of the first rows come first in a chunk: no more than this is read of one. */
const chunkBytesMax = 4n * 2n ** 20n;

const decompress =
  (read: (bytes: Uint8Array, options: { maxOutputLength: number }) => Uint8Array) =>
  (bytes: Uint8Array, length: number): Uint8Array =>
    read(bytes, { maxOutputLength: length });
/** Snappy is built in. */
const compressors: Compressors = {
  GZIP: decompress(gunzipSync),
  BROTLI: decompress(brotliDecompressSync),
  ZSTD: decompress(zstdDecompressSync),
};

/** Null if the file is damaged, its description is too large, or no column can be read. */
export async function readParquet(file: BlockReader): Promise<TableContents | null> {
  const metadata = await readMetadata(file);
  if (!metadata) return null;
  const all = parquetSchema(metadata).children;
  const shown = all.slice(0, tableLimits.columns);
  const length = Math.min(tableLimits.rows, Number(metadata.num_rows));
  const unread: string[] = [];
  const values: string[][] = [];
  for (const column of shown) {
    const texts = await readColumn(bufferOf(file), metadata, column, length).catch(() => null);
    if (!texts) unread.push(nameOf(column));
    values.push(texts ?? []);
  }
  if (unread.length === shown.length) return null;
  const rows: string[][] = [];
  for (let [at, left] = [0, tableLimits.characters as number]; at < length; at++) {
    const row = values.map((texts) => texts[at] ?? "");
    left -= row.join("").length;
    if (left < 0) break;
    rows.push(row);
  }
  return { header: shown.map(nameOf), rows, count: Number(metadata.num_rows), columns: all.length, unread };
}

const bufferOf = (file: BlockReader): AsyncBuffer => ({
  byteLength: file.size,
  slice(start, end = file.size) {
    const bytes = file.read(start, Math.max(0, end - start));
    return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) as ArrayBuffer;
  },
});

async function readMetadata(file: BlockReader): Promise<FileMetaData | null> {
  const end = Buffer.from(file.read(Math.max(0, file.size - 8), 8));
  if (end.length < 8 || end.readUInt32LE(0) > limits.tableMetadataBytes) return null;
  const metadata = await parquetMetadataAsync(bufferOf(file), { geoparquet: false }).catch(() => null);
  for (const { meta_data } of metadata?.row_groups.flatMap(({ columns }) => columns) ?? [])
    if (meta_data && meta_data.total_compressed_size > chunkBytesMax)
      meta_data.total_compressed_size = chunkBytesMax;
  return metadata;
}

const nameOf = ({ element: { name } }: SchemaTree): string => name.slice(0, tableLimits.name);

async function readColumn(
  file: AsyncBuffer,
  metadata: FileMetaData,
  { element }: SchemaTree,
  length: number,
): Promise<string[]> {
  const { name, converted_type, logical_type } = element;
  const isDate = converted_type === "DATE" || logical_type?.type === "DATE";
  const options = { file, metadata, columns: [name], rowEnd: length, useOffsetIndex: true, compressors };
  const rows = await parquetReadObjects(options);
  return rows.map((row) => shorten(textOf(row[name], isDate)));
}

const shorten = (text: string): string =>
  text.length <= tableLimits.cell ? text : `${text.slice(0, tableLimits.cell - 1).toWellFormed()}…`;

function textOf(value: unknown, isDate: boolean): string {
  if (value === null || value === undefined) return "";
  if (value instanceof Date) {
    if (Number.isNaN(value.getTime())) return "";
    const text = value.toISOString();
    return isDate ? text.slice(0, 10) : text.replace("T", " ").replace(/(\.000)?Z$/, "");
  }
  if (value instanceof Uint8Array)
    return `0x${Buffer.from(value.subarray(0, tableLimits.cell)).toString("hex")}`;
  if (typeof value !== "object") return String(value);
  return JSON.stringify(value, (_, inner) => (typeof inner === "bigint" ? Number(inner) : inner));
}
