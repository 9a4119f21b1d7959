/**
 * Dimensions and thumbnails of images. The container is parsed and sanitized before it reaches the decoder.
 */
import type { BlockReader } from "../bytes.ts";
import { type Area, type Size, scaledFrame, scaledSize, shownSize, turn } from "../geometry.ts";
import { limits } from "../limits.ts";
import type { ThumbnailFormatName } from "../port.ts";
import { thumbnailFormats, thumbnailSide } from "../thumbnails/thumbnail-format.ts";
import { walkBmp } from "./bmp.ts";
import { isCmyk, mixInks, withProfile } from "./colors.ts";
import { type ParsedImage, requireValid } from "./container.ts";
import { walkGif } from "./gif.ts";
import { walkJpeg } from "./jpeg.ts";
import { walkPng } from "./png.ts";
import { encodePng, type Raster, rasterOf } from "./raster.ts";
import { readSize } from "./sizes.ts";
import { walkWebp } from "./webp.ts";

/** The decoder supports more formats, but only these have a parser that sanitizes them. */
const parsers = new Map<string, (bytes: Uint8Array, size: number) => ParsedImage>([
  ["image/png", walkPng],
  ["image/apng", walkPng],
  ["image/jpeg", walkJpeg],
  ["image/gif", walkGif],
  ["image/webp", walkWebp],
  ["image/bmp", walkBmp],
]);

/** Whether images of this type are parsed here, and so get a thumbnail. */
export const canParse = (mime: string): boolean => parsers.has(mime);

/** Whether an image may take more memory to decode than a child has that inspects files. */
export const isLarge = ({ width, height }: { width: number | null; height: number | null }): boolean =>
  (width ?? 0) * (height ?? 0) > limits.largePixels;

/**
 * Returns the dimensions as shown, and a thumbnail. Throws if the image is damaged or has too many pixels: an
 * image of ordinary size is decoded, which makes the thumbnail.
 */
export async function readImage(
  file: BlockReader,
  mime: string,
): Promise<Partial<Size> & { thumbnail: Thumbnail | null }> {
  if (!canParse(mime)) return { ...readSize(file, mime), thumbnail: null };
  const image = parse(file, mime);
  const { width, height, isWhole, decodedBytes } = image;
  requireValid(width > 0 && height > 0 && width * height <= limits.headerPixels, "too many pixels");
  const isDecoded = isWhole && decodedBytes <= limits.inspectedBytes;
  const thumbnail = isDecoded ? await shrink(image) : null;
  return { ...shownSize(image), thumbnail };
}

/** What to render a file as. */
export interface RenderedFile {
  mime: string;
  /** By default as the file states. */
  orientation?: number | undefined;
}

export interface Thumbnail {
  bytes: Uint8Array;
  /** What was encoded, as a PNG that takes a tenth of the time to decode. */
  pixels: Uint8Array;
  /** The same at its small size. */
  small: Raster;
}

/** The longer side of an image at its small size, in pixels. */
export const smallSides = { min: 64, max: 64 };

/** Returns a thumbnail; null if no encoder makes it small enough. */
export const thumbnailOf = async (
  file: BlockReader,
  as: RenderedFile,
  format?: ThumbnailFormatName,
): Promise<Thumbnail | null> => shrink(parseAs(file, as), format);

async function shrink(image: ParsedImage, format?: ThumbnailFormatName): Promise<Thumbnail | null> {
  const open = await shownImage(image, { max: thumbnailSide });
  const pixels = await open().png({ compressionLevel: 0 }).bytes();
  const shown = new Bun.Image(pixels);
  const { width, height } = scaledSize(await shown.metadata(), smallSides);
  const small = await rasterOf(shown.resize(width, height));
  const bytes = await encodeWithin(
    format ?? (isOpaque(small) ? "jpeg" : "webp"),
    () => new Bun.Image(pixels),
  );
  return bytes && { bytes, pixels, small };
}

/** A transparent pixel of a thumbnail is seen at the small size, too, which has a 64th of its pixels. */
function isOpaque({ pixels }: Raster): boolean {
  for (let at = 3; at < pixels.length; at += 4) if (pixels[at] !== 255) return false;
  return true;
}

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

/** A file with its size as shown, and itself at another size. Throws if it is damaged or too large. */
export function openImage(file: BlockReader, as: RenderedFile): OpenedImage {
  const image = parseAs(file, as);
  return { ...shownSize(image), scaled: async (to) => (await shownImage(image, to))() };
}

/** The size is as shown. */
export interface OpenedImage extends Size {
  scaled(to: Size | { min: number; max: number }): Promise<Bun.Image>;
}

/** Opens the image as it is shown, at a size, or scaled so that its longer side is within these bounds. */
async function shownImage(
  image: ParsedImage,
  to: Size | { min?: number; max: number },
): Promise<() => Bun.Image> {
  const { bytes, frame, orientation, isWhole, decodedBytes, profile, inks } = image;
  requireValid(isWhole && decodedBytes <= limits.decodedBytes, "too large");
  const open = (file: Uint8Array) =>
    new Bun.Image(file, { maxPixels: limits.headerPixels, autoOrient: false });
  if (frame) {
    const scaled = sizeOf(image, to);
    const png = await drawFrame(open(bytes), scaledFrame(frame, image, scaled), scaled);
    const colored = profile ? withProfile(png, profile) : png;
    return () => turn(new Bun.Image(colored), orientation);
  }
  const { width, height } = sizeOf(shownSize(image), to);
  const draw = (file: Uint8Array) => turn(open(file), orientation).resize(width, height);
  if (!profile) return () => draw(bytes);
  const drawPng = (file: Uint8Array) => draw(file).png({ compressionLevel: 0 }).bytes();
  const parts = inks?.();
  const colored =
    parts && isCmyk(profile)
      ? mixInks(await drawPng(parts.withoutBlack), await drawPng(parts.blackAlone), profile)
      : withProfile(await drawPng(bytes), profile);
  return () => new Bun.Image(colored);
}

const sizeOf = (size: Size, to: Size | { min?: number; max: number }): Size =>
  "width" in to ? to : scaledSize(size, to);

/** A PNG of a frame at its place; what it leaves free is transparent. */
async function drawFrame(frame: Bun.Image, { x, y, width, height }: Area, canvas: Size): Promise<Uint8Array> {
  const drawn = await rasterOf(frame.resize(width, height));
  const pixels = new Uint8Array(canvas.width * canvas.height * 4);
  for (let row = 0; row < height; row++)
    pixels.set(
      drawn.pixels.subarray(row * width * 4, (row + 1) * width * 4),
      ((y + row) * canvas.width + x) * 4,
    );
  return encodePng({ ...drawn, ...canvas, pixels });
}

function parseAs(file: BlockReader, { mime, orientation }: RenderedFile): ParsedImage {
  const image = parse(file, mime);
  return { ...image, orientation: orientation ?? image.orientation };
}

function parse(file: BlockReader, mime: string): ParsedImage {
  const parser = parsers.get(mime);
  requireValid(parser !== undefined, "not walked through");
  return parser(file.read(0, file.size <= limits.imageBytes ? file.size : limits.imageHeadBytes), file.size);
}
