/** The format of thumbnails: how large they are, and how they are encoded, named, and recognized. */

export const thumbnailFormat = {
  mime: "image/webp",
  filename: "thumb.webp",
  /** Of the longer side, in pixels. */
  side: 512,
  bytesMax: 200_000,
  /** Qualities to try, until the file is small enough. */
  qualities: [80, 60, 40, 20],
  encode: (image: Bun.Image, quality: number): Promise<Uint8Array> => image.webp({ quality }).bytes(),
  matches: (bytes: Uint8Array): boolean =>
    /^RIFF....WEBP/s.test(Buffer.from(bytes.subarray(0, 12)).toString("latin1")),
};
