/** A worker that compares the pixels of two images, so that the page does not wait for it. */
import pixelmatch from "pixelmatch";
import { type Changes, findChanges } from "./changed-regions.js";
import { haveOneShape, type Size } from "./sizes.js";

/** The changes, in pixels of a picture of this size. */
export interface PixelChanges extends Changes, Size {}

/** Larger images are scaled down, since each pixel takes 13 bytes while they are compared. */
const pixelsMax = 8_000_000;

async function compare(files: (Blob | ImageBitmap)[]): Promise<PixelChanges> {
  const [one, other] = await Promise.all(files.map((file) => createImageBitmap(file)));
  if (!one || !other) throw new Error("Two images are needed.");
  const isOneShape = haveOneShape(one, other);
  const width = isOneShape ? other.width : Math.max(one.width, other.width);
  const height = isOneShape ? other.height : Math.max(one.height, other.height);
  const scale = Math.min(1, Math.sqrt(pixelsMax / (width * height)));
  const size = { width: Math.round(width * scale), height: Math.round(height * scale) };
  const pixels = [one, other].map((image) => draw(image, size, isOneShape ? undefined : scale));
  const mask = new Uint8ClampedArray(size.width * size.height * 4);
  const [before, after] = pixels as [Uint8ClampedArray, Uint8ClampedArray];
  pixelmatch(before, after, mask, size.width, size.height, { diffMask: true });
  return { ...size, ...findChanges(changedPixels(mask), size.width, size.height) };
}

/** The pixels of an image that is stretched to a size, or drawn at the upper left corner at a scale. */
function draw(image: ImageBitmap, { width, height }: Size, scale?: number): Uint8ClampedArray {
  const context = new OffscreenCanvas(width, height).getContext("2d", { willReadFrequently: true });
  if (!context) throw new Error("This browser cannot draw in a worker.");
  if (scale === undefined) context.drawImage(image, 0, 0, width, height);
  else context.drawImage(image, 0, 0, image.width * scale, image.height * scale);
  image.close();
  return context.getImageData(0, 0, width, height).data;
}

/** What changed is opaque in the mask; what only smooths an edge is not in it. */
function changedPixels(mask: Uint8ClampedArray): Uint8Array {
  const changed = new Uint8Array(mask.length / 4);
  for (let at = 0; at < changed.length; at++) changed[at] = mask[at * 4 + 3] as number;
  return changed;
}

addEventListener("message", async ({ data }: MessageEvent<(Blob | ImageBitmap)[]>) => {
  postMessage(await compare(data).catch(() => null));
});
