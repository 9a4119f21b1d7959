/** Every limit of the room: what an upload may cost, and what is given up at it. */
const KiB = 2 ** 10;
const MiB = 2 ** 20;

export const limits = {
  /** A child has this long to work; the time it waits for bytes or for a sink is not its own. */
  childMs: 5_000,
  bundleMs: 30_000,
  /**
   * And this long in all, where the store that holds the file is slow. A bundle takes as long as its sink.
   */
  sourceMs: 20_000,
  /** Of memory that is a child's own; it needs about ten MiB before it sees a byte of the file. */
  childBytes: 256 * MiB,
  /** How often the memory is looked at. */
  watchMs: 20,
  /** A child that takes nothing apart is asked about so many files, and waits this long for the next one. */
  readerFiles: 1_000,
  readerMs: 2_000,
  /** A caller waits this long for a free core, then is told to come back. */
  queueMs: 30_000,

  /** What decides the type is in here. */
  headBytes: 64 * KiB,
  /**
   * A child asks for bytes in blocks of this size, keeps this many of them, and asks for this much in all.
   */
  blockBytes: 512 * KiB,
  blocks: 16,
  readBytes: 128 * MiB,
  bundleReadBytes: 512 * MiB,
  /** The longest message of a child; a thumbnail is one message. */
  frameBytes: 1 * MiB,

  /** Larger image files are looked at, not decoded. */
  imageBytes: 48 * MiB,
  /** An image file that is only looked at has its header in here. */
  imageHeadBytes: 1 * MiB,
  imagePixels: 40e6,
  /** More than this is taken for a lie: no dimensions at all. */
  headerPixels: 268e6,
  jpegScans: 100,
  /** A colour profile of this size is kept, a larger one dropped. */
  profileBytes: 16 * KiB,

  thumbnailPixels: 512,
  thumbnailBytes: 200_000,
  /** What ffmpeg and pdftoppm may print. */
  stillBytes: 8 * MiB,
  /** A file that has no path is copied for ffmpeg and pdftoppm up to this size. */
  copyBytes: 256 * MiB,
  versionMs: 2_000,

  bundleEntries: 2_000,
  bundleBytes: 256 * MiB,
  /** The directory of a zip, which names its entries. */
  bundleDirectoryBytes: 8 * MiB,
  /** Of a path in a bundle, and of one part of it. */
  pathBytes: 512,
  partBytes: 255,
} as const;

/** The limits that a test makes small. */
export type Limits = {
  -readonly [name in "childMs" | "bundleMs" | "sourceMs" | "childBytes" | "queueMs"]: number;
};
