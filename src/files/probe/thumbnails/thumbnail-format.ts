/** The formats of thumbnails: how large they are, and how they are encoded, named, and recognized. */
import type { ThumbnailColumns, ThumbnailFormatName, UploadFormat } from "../port.ts";

/** Of the longer side, in pixels. */
export const thumbnailSide = 512;

interface ThumbnailFormat {
  mime: string;
  filename: string;
  bytesMax: number;
  /** To try in this order, until the file is small enough. */
  encoders: ((image: Bun.Image) => Bun.Image)[];
  matches(bytes: Uint8Array): boolean;
}

const qualities = [80, 60, 40, 20];

const startOf = (bytes: Uint8Array): string => Buffer.from(bytes.subarray(0, 12)).toString("latin1");

export const thumbnailFormats: Record<ThumbnailFormatName, ThumbnailFormat> = {
  jpeg: {
    mime: "image/jpeg",
    filename: "thumb.jpg",
    bytesMax: 200_000,
    encoders: qualities.map((quality) => (image) => image.jpeg({ quality })),
    matches: (bytes) => startOf(bytes).startsWith("\xff\xd8\xff"),
  },
  webp: {
    mime: "image/webp",
    filename: "thumb.webp",
    bytesMax: 200_000,
    encoders: qualities.map((quality) => (image) => image.webp({ quality })),
    matches: (bytes) => /^RIFF....WEBP/s.test(startOf(bytes)),
  },
  png: {
    mime: "image/png",
    filename: "thumb.png",
    bytesMax: 500_000,
    encoders: [
      (image) => image.png({ compressionLevel: 9 }),
      ...[256, 64].map(
        (colors) => (image: Bun.Image) =>
          image.png({ palette: true, dither: true, compressionLevel: 9, colors }),
      ),
    ],
    matches: (bytes) => startOf(bytes).startsWith("\x89PNG\r\n\x1a\n"),
  },
};

/**
 * The formats that uploads make: JPEG of an opaque image, which takes a thirtieth of the time to encode and
 * 40 to 106 % more bytes (`bun run bench uploads`), and WebP of others. Another format is made of it
 * when it is first requested.
 */
const uploadFormats: readonly UploadFormat[] = ["jpeg", "webp"];

/** The format in which the thumbnail of an asset is stored; null if it has none. */
export const storedFormat = ({ has_thumb, thumb_format }: ThumbnailColumns): UploadFormat | null =>
  has_thumb ? (thumb_format ?? "webp") : null;

/** The format of a thumbnail that an upload made; undefined for other bytes. */
export const uploadFormatOf = (thumbnail: Uint8Array): UploadFormat | undefined =>
  uploadFormats.find((name) => thumbnailFormats[name].matches(thumbnail));

/** Chat services show no WebP: Slack documents PNG, JPEG and GIF. */
export const chatFormat = (stored: UploadFormat): ThumbnailFormatName => (stored === "webp" ? "png" : stored);

/** Of images with annotations drawn on them. */
export const annotatedFormat: ThumbnailFormatName = "webp";
