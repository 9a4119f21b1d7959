/**
 * Dimensions and thumbnails of images. The container is parsed and sanitized before it reaches the decoder.
 */
import type { BlockReader } from "../bytes.ts";
import { limits } from "../limits.ts";
import type { ThumbnailFormatName } from "../port.ts";
import { thumbnailFormats, thumbnailSide, uploadFormat } from "../thumbnails/thumbnail-format.ts";
import { type ParsedImage, requireValid } from "./container.ts";
import { walkGif } from "./gif.ts";
import { walkJpeg } from "./jpeg.ts";
import { walkPng } from "./png.ts";
import { walkWebp } from "./webp.ts";

/** The decoder supports more formats, but only these have a parser that sanitizes them. */
const parsers = new Map<string, (bytes: Uint8Array, size: number) => ParsedImage>([
  ["image/png", walkPng],
  ["image/apng", walkPng],
  ["image/jpeg", walkJpeg],
  ["image/gif", walkGif],
  ["image/webp", walkWebp],
]);

/** Whether images of this type are parsed here, and so get a thumbnail. */
export const canParse = (mime: string): boolean => parsers.has(mime);

/**
 * Returns the dimensions after applying the orientation, and a thumbnail. Throws if the image is damaged or
 * has too many pixels: an image of ordinary size is decoded, which makes the thumbnail.
 */
export async function readImage(
  file: BlockReader,
  mime: string,
): Promise<{ width: number; height: number; thumbnail: Uint8Array | null } | null> {
  if (!canParse(mime)) return null;
  const { width, height, bytes, isFrame, isWhole } = parse(file, mime);
  requireValid(width > 0 && height > 0 && width * height <= limits.headerPixels, "too many pixels");
  const isDecoded = isWhole && width * height <= limits.imagePixels;
  const thumbnail = isDecoded ? await shrink(bytes, uploadFormat) : null;
  if (isFrame) return { width, height, thumbnail };
  const metadata = await new Bun.Image(bytes, { maxPixels: limits.headerPixels }).metadata();
  return { width: metadata.width, height: metadata.height, thumbnail };
}

/** Returns a thumbnail; null if no encoder makes it small enough. */
export async function thumbnailOf(
  file: BlockReader,
  mime: string,
  format: ThumbnailFormatName = uploadFormat,
): Promise<Uint8Array | null> {
  const { bytes, isWhole } = parse(file, mime);
  requireValid(isWhole, "too large");
  return shrink(bytes, format);
}

const shrink = (bytes: Uint8Array, format: ThumbnailFormatName) =>
  encodeWithin(format, () =>
    new Bun.Image(bytes, { maxPixels: limits.imagePixels }).resize(thumbnailSide, thumbnailSide, {
      fit: "inside",
      withoutEnlargement: true,
    }),
  );

/** The image in a format of thumbnails; null if no encoder makes it small enough. */
export async function encodeWithin(
  format: ThumbnailFormatName,
  open: () => Bun.Image,
): Promise<Uint8Array | null> {
  const { bytesMax, encoders } = thumbnailFormats[format];
  for (const encode of encoders) {
    const encoded = await encode(open()).bytes();
    if (encoded.length <= bytesMax) return encoded;
  }
  return null;
}

/**
 * The image as it is shown, scaled so that its longer side is within these bounds. Throws if it is damaged,
 * too large, or a first frame that does not cover its canvas.
 */
export async function scaledImage(
  file: BlockReader,
  mime: string,
  { min, max }: { min: number; max: number },
): Promise<Bun.Image> {
  const parsed = parse(file, mime);
  requireValid(parsed.isWhole, "too large");
  const open = () => new Bun.Image(parsed.bytes, { maxPixels: limits.imagePixels });
  const { width, height } = await open().metadata();
  const isPart = parsed.isFrame && (width !== parsed.width || height !== parsed.height);
  requireValid(!isPart, "a part of the image");
  const side = Math.min(max, Math.max(min, width, height));
  return open().resize(side, side, { fit: "inside" });
}

function parse(file: BlockReader, mime: string): ParsedImage {
  const parser = parsers.get(mime);
  requireValid(parser !== undefined, "not walked through");
  return parser(file.read(0, file.size <= limits.imageBytes ? file.size : limits.imageHeadBytes), file.size);
}
