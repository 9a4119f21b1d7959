/** The inspection of uploaded files, as uploads use it. */

import type { FontContents } from "./font/schema.ts";
import type { Inspection } from "./kind.ts";
import type { FileMatch, PictureChange } from "./likeness/schema.ts";
import type { Target, Weight } from "./marks/schema.ts";
import type { FileMeasures } from "./measures/schema.ts";
import type { ModelContents } from "./model/schema.ts";
import type { TableContents } from "./table/schema.ts";

/** Of thumbnails that uploads make, for pages and agents. */
export type UploadFormat = "jpeg" | "webp";
/** PNG is for chat services. */
export type ThumbnailFormatName = UploadFormat | "png";

/** The columns of an asset that tell the format of its thumbnail. */
export interface ThumbnailColumns {
  has_thumb: boolean;
  /** Null in rows older than this column, whose thumbnails are WebP. */
  thumb_format: UploadFormat | null;
}

export interface Probe {
  /**
   * Returns the type, dimensions and duration of a file. Unknown values are null; an unidentified file is of
   * kind `file`. A zip file may be a bundle, so if its check does not finish, this is a Problem: 503 if time
   * ran out, 400 if the check failed.
   */
  inspect(source: FileSource): Promise<Inspection>;
  /** Does both, decoding an image once. */
  inspectWithThumbnail(source: FileSource): Promise<InspectionWithThumbnail>;
  /**
   * Returns an image of at most 512 pixels per side, by default a JPEG or, if something shows through, a WebP
   * of at most 200 KB; or null. `found` is the result of `inspect`.
   */
  thumbnail(source: FileSource, found: Inspection, format?: ThumbnailFormatName): Promise<Uint8Array | null>;
  /** Returns a thumbnail of an HTML page; null unless a browser is installed and works. */
  pageThumbnail(page: PageFiles): Promise<Uint8Array | null>;
  /** Returns what a player shows below an audio file or a video; null if nothing was read of it. */
  timeline(source: FileSource, mime: string): Promise<Timeline | null>;
  /** Returns what a glTF file contains; null if it is damaged, or its inspection failed. */
  model(source: FileSource, mime: string): Promise<ModelContents | null>;
  /** Returns the first rows of a Parquet file; null if it is damaged, or its inspection failed. */
  table(source: FileSource, mime: string): Promise<TableContents | null>;
  /** Returns what a font contains; null if it is damaged, or its inspection failed. */
  font(source: FileSource, mime: string): Promise<FontContents | null>;
  /**
   * Returns a WebP of at most 1,024 pixels per side and 200 KB, with marks drawn on it: of an image, of a
   * frame of a video, or of a page of a PDF. Null if this file or machine cannot. The first mark is on top.
   */
  annotatedImage(
    source: FileSource,
    found: Inspection,
    moment: Moment,
    marks: readonly Mark[],
  ): Promise<Uint8Array | null>;
  /**
   * Returns what changed between two images that svc decodes; null if one of them is damaged or too large.
   * Their `mime` is that of their inspections.
   */
  compare(before: ComparedFile, after: ComparedFile): Promise<PictureChange | null>;
  /**
   * Tells of older files whether a file is one of them after re-encoding, resizing, cropping or formatting,
   * and which of their places are as they were; null of those of which that cannot be told. It ends with the
   * first of which `isLast` says so.
   */
  match(
    after: ComparedFile,
    older: readonly OlderFile[],
    isLast?: (found: FileMatch | null, at: number) => boolean,
  ): Promise<(FileMatch | null)[]>;
  /** Returns the mean colors of a grid over an image, in base64; null if it is damaged or too large. */
  signature(image: ComparedFile): Promise<string | null>;
  /** Returns what checks of decisions measure of a file; null if nothing is known of it. */
  measures(source: FileSource, mime: string): Promise<FileMeasures | null>;
  /**
   * Returns the edits that take the metadata out of an image, in the order of the file; null if that cannot
   * be done for this type or file.
   */
  removalEdits(source: FileSource, mime: string): Promise<Edit[] | null>;
  /**
   * Calls `use` with the path of a copy of a video or audio file without its metadata, with the same frames.
   * Null without ffmpeg, or if it cannot copy this file.
   */
  withRemuxed<T>(source: FileSource, mime: string, use: (path: string) => Promise<T>): Promise<T | null>;
  /** Unpacks a bundle into a sink: all of it or, with a Problem 400, nothing. */
  unbundle(source: FileSource, sink: Sink): Promise<Bundle>;
  /** Returns which helpers work on this machine: the child process itself and the thumbnail programs. */
  helpers(): Promise<Helper[]>;
  /** Returns the number of running and of queued jobs. */
  load(): { running: number; waiting: number };
}

export interface ComparedFile {
  source: FileSource;
  mime: string;
  /** Of what a helper program may have to show. */
  found?: Inspection;
  /** With the extension that tells the format of a text. */
  name?: string;
}

export interface OlderFile extends ComparedFile {
  /** Places in it. */
  targets: readonly (Target | null)[];
}

/** What tells images that look alike, by their thumbnails. Null without one, or if it is damaged. */
export interface Looks {
  /** A perceptual hash: see `pictureHash`. */
  picture: string | null;
  /** The mean colors of a grid: see `signatureOf`. */
  signature: string | null;
}

export const noLooks: Looks = { picture: null, signature: null };

export interface InspectionWithThumbnail extends Looks {
  inspection: Inspection;
  thumbnail: Uint8Array | null;
}

/** What an image shows of a file that has more to show. */
export interface Moment {
  /** Time in a video, in milliseconds. */
  t_ms: number | null;
  /** Page of a document, from 1. */
  page: number | null;
}

/** The number and the shape of an annotation, to be drawn. */
export interface Mark extends Pick<Target, "shape" | "x" | "y" | "w" | "h" | "points"> {
  n: number;
  weight: Weight;
}

/** The files of an HTML page or bundle. */
export interface PageFiles {
  /** Path of the page itself. */
  index: string;
  /** Null if there is no file at this path. */
  read(path: string): Promise<{ bytes: Uint8Array; mime: string } | null>;
  /** Who sent them: the queue is fair between owners. */
  owner?: string | undefined;
}

export interface FileSource {
  size: number;
  /**
   * Returns `length` bytes from `offset`, fewer at the end of the file. Its errors reach the caller, since
   * the file did not cause them.
   */
  read(offset: number, length: number): Promise<Uint8Array>;
  /** The first `limits.headBytes` bytes or the whole file, if already at hand. */
  head?: Uint8Array;
  /** Absolute path of a local file, for helper programs. */
  path?: string;
  /**
   * Who sent the file. A child that has parsed it is reused for files of the same owner; without one, never.
   * Queues are fair between owners.
   */
  owner?: string | undefined;
}

export interface Timeline {
  /** Of an audio file: pairs of the lowest and highest sample of up to 1,000 equal parts, from -127 to 127. */
  peaks: number[] | null;
  /** Of a video, in frames per second: `25` or `30000/1001`. Null if it varies or is unknown. */
  frame_rate: string | null;
  /** Whether the index of an MP4 comes after its data, so that playing it starts late. */
  is_index_last: boolean;
}

/** Replaces the bytes from `start` up to `end`. */
export interface Edit {
  start: number;
  end: number;
  replacement: Uint8Array;
}

export interface BundleFile {
  /** Below the bundle's root, parts separated by `/`. */
  path: string;
  size: number;
  mime: string;
}

export interface Bundle {
  /** Path of the index page. */
  index: string;
  files: BundleFile[];
}

export interface Sink {
  /**
   * Writes one file; calls do not overlap. `bytes` yields exactly `file.size` bytes, or throws if the file is
   * incomplete.
   */
  write(file: BundleFile, bytes: AsyncIterable<Uint8Array>): Promise<void>;
  /** Deletes every file written so far, complete or not. */
  discard(): Promise<void>;
}

export interface Helper {
  name: string;
  /** What does not work without it. */
  purpose: string;
  /** Its version; null if it is not installed or does not run. */
  version: string | null;
}
