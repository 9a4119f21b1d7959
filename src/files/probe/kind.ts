/** The types that inspection finds. */
import type { Provenance } from "../provenance/schema.ts";

interface KindRow {
  /** Media types, or with `/*` all of a family. */
  mimes: readonly string[];
  /** The helper program that renders a still of it: of images, where svc has no decoder. */
  still: "ffmpeg" | "pdftoppm" | null;
}

/** The kinds, in the order of lists. `file` is for all other types: 3D models, texts, and downloads. */
const kindRows = {
  image: { mimes: ["image/*"], still: "ffmpeg" },
  video: { mimes: ["video/*"], still: "ffmpeg" },
  audio: { mimes: ["audio/*", "application/ogg"], still: null },
  pdf: { mimes: ["application/pdf"], still: "pdftoppm" },
  html: { mimes: ["text/html", "application/xhtml+xml"], still: null },
  file: { mimes: [], still: null },
} as const satisfies Record<string, KindRow>;

export type Kind = keyof typeof kindRows;
export const kinds = Object.keys(kindRows) as [Kind, ...Kind[]];

/** Returns the program that renders a still of this kind of file. */
export const programFor = ({ kind }: Pick<FileType, "kind">): KindRow["still"] => kindRows[kind].still;

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

const kindByMime = new Map<string, Kind>(
  kinds.flatMap((kind) => kindRows[kind].mimes.map((mime) => [mime, kind] as const)),
);

/** The asset kind of a media type. */
export const kindOf = (mime: string): Kind =>
  kindByMime.get(mime) ?? kindByMime.get(`${mime.split("/", 1)[0]}/*`) ?? "file";

/** Whether parsers read more of such a file than its type. */
export const isMedia = ({ kind }: FileType): boolean =>
  kind === "image" || kind === "audio" || kind === "video";

export const typeOf = (mime: string): FileType => ({ mime, kind: kindOf(mime) });

/** Returns a non-negative integer that fits a 32-bit column, else null. */
export const int32OrNull = (value: unknown): number | null =>
  typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= 2_147_483_647 ? value : null;
