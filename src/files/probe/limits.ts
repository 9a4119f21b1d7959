/** Resource limits of inspecting uploads. */
const KiB = 2 ** 10;
const MiB = 2 ** 20;

export const limits = {
  /** Working time of a child; waiting for file bytes or a sink does not count. */
  childMs: 5_000,
  bundleMs: 30_000,
  /** Total time of a child, in case the store is slow. Unpacking a bundle has no total limit. */
  sourceMs: 20_000,
  /** Of a child that compares a file with a rejected one, for which an upload waits. */
  matchMs: 3_000,
  /** Anonymous memory of a child, which needs about 10 MiB before it reads the file. */
  childBytes: 256 * MiB,
  /** Wait for the first bytes of a file, after which a child asks for them. */
  headMs: 2_000,
  /** Interval of memory checks. */
  watchMs: 20,
  /** A child is reused for this many files, of which parsers may have read so many. */
  childFiles: 1_000,
  parsedFiles: 50,
  /**
   * An agent sends the next picture within seconds. A child that waits for it holds 10 to 12 MB of memory; to
   * start another takes longer than to read a picture (`bun run bench uploads`).
   */
  idleMs: 20_000,
  /** A child with more anonymous memory than this after a file is not reused. */
  idleBytes: 96 * MiB,
  /** Wait for a free slot, after which the caller gets a Problem 503. */
  queueMs: 30_000,
  /** An owner whose last job took longer, such as one that was killed, leaves a slot to other owners. */
  slowMs: 2_500,

  /** Bytes at the start of a file that content sniffing reads. */
  headBytes: 64 * KiB,
  /** An upload of at most this size is handed to its child as a whole, which need not ask for the rest. */
  wholeBytes: 128 * KiB,
  /** A child reads in blocks of this size, caches this many, and reads at most this many bytes in total. */
  blockBytes: 512 * KiB,
  blocks: 16,
  readBytes: 128 * MiB,
  bundleReadBytes: 512 * MiB,
  /** Reads of an audio or video file: so many, and one for so many bytes, as AAC is read frame by frame. */
  mediaReads: 10_000,
  mediaReadBytes: 32,
  /** Longest message of a child. A thumbnail is one message. */
  frameBytes: 1 * MiB,

  /** Larger image files are not decoded; only their headers are read. */
  imageBytes: 48 * MiB,
  /** Bytes read of an image that is not decoded. */
  imageHeadBytes: 1 * MiB,
  imagePixels: 40e6,
  /** A larger image is decoded by one child at a time, which has so many times the usual memory. */
  largePixels: 20e6,
  largeImageFactor: 4,
  /** What a decoder may hold beside the file, in a child that inspects and in one that only decodes. */
  inspectedBytes: 160e6,
  decodedBytes: 700e6,
  /** Pixels of a PNG that is cut. */
  restoredBytes: 64 * MiB,
  /** An image that declares more pixels gets no dimensions. */
  headerPixels: 268e6,
  jpegScans: 100,
  /** Larger color profiles are dropped; those that stay with a thumbnail are smaller. */
  profileBytes: 4 * MiB,
  keptProfileBytes: 16 * KiB,

  /** Longest JSON of a glTF file: of its chunk, and of a file that is JSON with its data in it. */
  modelJsonBytes: 8 * MiB,
  modelTextBytes: 32 * MiB,

  /** Longest description of a Parquet file, and largest font. */
  tableMetadataBytes: 8 * MiB,
  fontBytes: 24 * MiB,

  /** Largest output of ffmpeg and pdftoppm. */
  stillBytes: 8 * MiB,
  /** Largest file that is copied from a store for a helper program. */
  copyBytes: 256 * MiB,
  versionMs: 2_000,
  /** Largest report of c2patool. */
  reportBytes: 1 * MiB,

  /** Working time of a browser, and anonymous memory of each of its processes. */
  browserMs: 15_000,
  browserBytes: 2048 * MiB,
  /** Files of a page that a browser is given for its thumbnail. */
  pageBytes: 32 * MiB,

  bundleEntries: 2_000,
  bundleBytes: 256 * MiB,
  /** Central directory of a zip. */
  bundleDirectoryBytes: 8 * MiB,
  /** Length of a path in a bundle, and of one segment of it. */
  pathBytes: 512,
  partBytes: 255,
} as const;

/** The limits that tests lower. */
export type Limits = {
  -readonly [name in
    | "childMs"
    | "bundleMs"
    | "sourceMs"
    | "childBytes"
    | "idleMs"
    | "queueMs"
    | "slowMs"]: number;
};
