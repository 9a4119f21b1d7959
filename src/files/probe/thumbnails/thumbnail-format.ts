/** The formats of thumbnails: how large they are, and how they are encoded, named, and recognized. */
import type { ThumbnailFormatName } from "../port.ts";

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

const startOf = (bytes: Uint8Array): string => Buffer.from(bytes.subarray(0, 12)).toString("latin1");

export const thumbnailFormats: Record<ThumbnailFormatName, ThumbnailFormat> = {
  webp: {
    mime: "image/webp",
    filename: "thumb.webp",
    bytesMax: 200_000,
    encoders: [80, 60, 40, 20].map((quality) => (image) => image.webp({ quality })),
    matches: (bytes) => /^RIFF....WEBP/s.test(startOf(bytes)),
  },
  /** For chat services: Slack documents PNG, JPEG and GIF. JPEG would make transparent areas black. */
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
 * The format that is made when a file is uploaded; the others are made when they are first asked for. They
 * are stored under the filename of their format, and no row keeps it: after a change, stored ones are not
 * found.
 */
export const uploadFormat: ThumbnailFormatName = "webp";
export const thumbnailFormat = thumbnailFormats[uploadFormat];

/** Of images with annotations drawn on them. */
export const annotatedFormat: ThumbnailFormatName = "webp";
