/** The types that inspection finds. */
import type { Provenance } from "../provenance/schema.ts";

export const kinds = ["image", "video", "audio", "pdf", "html", "file"] as const;
export type Kind = (typeof kinds)[number];

export interface FileType {
  mime: string;
  kind: Kind;
}

/** Null: unknown or not plausible. Dimensions are in pixels. */
export interface Inspection extends FileType {
  width: number | null;
  height: number | null;
  duration_ms: number | null;
  /** What the file says of how it was made; absent if it says nothing. */
  provenance?: Provenance[];
}

/** The type of a file that could not be identified. */
export const unknownType: FileType = { mime: "application/octet-stream", kind: "file" };

export const withoutMetadata = (type: FileType): Inspection => ({
  ...type,
  width: null,
  height: null,
  duration_ms: null,
});

/** A bundle is a zip of kind `html`: one with an index page in its central directory. */
export const isBundle = ({ mime, kind }: FileType): boolean => kind === "html" && mime === "application/zip";

/** Recognizes a zip file by its signature, without a parser. */
export const isZip = (head: Uint8Array): boolean =>
  head[0] === 0x50 && head[1] === 0x4b && head[2] === 3 && head[3] === 4;

const kindByMime = new Map<string, Kind>([
  ["application/pdf", "pdf"],
  ["application/ogg", "audio"],
  ["text/html", "html"],
  ["application/xhtml+xml", "html"],
]);

/** The asset kind of a media type; `file` for types that svc does not show. */
export function kindOf(mime: string): Kind {
  const family = mime.split("/", 1)[0];
  return (
    kindByMime.get(mime) ?? (family === "image" || family === "video" || family === "audio" ? family : "file")
  );
}

export const typeOf = (mime: string): FileType => ({ mime, kind: kindOf(mime) });

/** Returns a non-negative integer that fits a 32-bit column, else null. */
export const int32OrNull = (value: unknown): number | null =>
  typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= 2_147_483_647 ? value : null;
