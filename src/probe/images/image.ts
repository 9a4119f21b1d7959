/**
 * Dimensions and thumbnails of images: our own walk through the container first, then the decoder, on what
 * the walk left.
 */
import type { Bytes } from "../bytes.ts";
import { limits } from "../limits.ts";
import { type Picture, refuseUnless } from "./container.ts";
import { walkGif } from "./gif.ts";
import { walkJpeg } from "./jpeg.ts";
import { walkPng } from "./png.ts";
import { walkWebp } from "./webp.ts";

/** What else the decoder reads, nobody has walked through for it. */
const walks = new Map<string, (bytes: Uint8Array, size: number) => Picture>([
  ["image/png", walkPng],
  ["image/apng", walkPng],
  ["image/jpeg", walkJpeg],
  ["image/gif", walkGif],
  ["image/webp", walkWebp],
]);

export const isWalked = (mime: string): boolean => walks.has(mime);

/**
 * As the image is to be seen, so turned by its orientation. Throws where the image is damaged or has more
 * pixels than anybody should be shown; one of ordinary size is decoded to find out.
 */
export async function dimensions(
  file: Bytes,
  mime: string,
): Promise<{ width: number; height: number } | null> {
  if (!isWalked(mime)) return null;
  const { width, height, bytes, isFrame, isWhole } = walk(file, mime);
  refuseUnless(width > 0 && height > 0 && width * height <= limits.headerPixels, "too many pixels");
  const image = () => new Bun.Image(bytes, { maxPixels: limits.headerPixels });
  if (isWhole && width * height <= limits.imagePixels) await image().resize(1, 1).png().bytes();
  const seen = await image().metadata();
  return isFrame ? { width, height } : { width: seen.width, height: seen.height };
}

/** Null where no quality is small enough. */
export async function thumbnailOf(file: Bytes, mime: string): Promise<Uint8Array | null> {
  const { bytes, isWhole } = walk(file, mime);
  refuseUnless(isWhole, "too large");
  const side = limits.thumbnailPixels;
  for (const quality of [80, 60, 40, 20]) {
    const small = new Bun.Image(bytes, { maxPixels: limits.imagePixels }).resize(side, side, {
      fit: "inside",
      withoutEnlargement: true,
    });
    const thumbnail = await small.webp({ quality }).bytes();
    if (thumbnail.length <= limits.thumbnailBytes) return thumbnail;
  }
  return null;
}

function walk(file: Bytes, mime: string): Picture {
  const walkThrough = walks.get(mime);
  refuseUnless(walkThrough !== undefined, "not walked through");
  return walkThrough(
    file.read(0, file.size <= limits.imageBytes ? file.size : limits.imageHeadBytes),
    file.size,
  );
}
