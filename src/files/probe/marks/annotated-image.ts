/** In the child: an image with annotations drawn on it. */
import type { BlockReader } from "../bytes.ts";
import { encodeWithin, type RenderedFile, scaledImage } from "../images/image.ts";
import { decodePng, encodePng } from "../images/raster.ts";
import type { Mark } from "../port.ts";
import { annotatedFormat } from "../thumbnails/thumbnail-format.ts";
import { drawMarks } from "./draw-marks.ts";

/** Of the longer side, in pixels: a smaller image is enlarged, so that its pins hide less of it. */
const sides = { min: 640, max: 1024 };

/** Returns a WebP; null if no quality makes it small enough. Throws if the image is damaged or too large. */
export async function annotatedImageOf(
  file: BlockReader,
  image: RenderedFile,
  marks: readonly Mark[],
): Promise<Uint8Array | null> {
  const scaled = await scaledImage(file, image, sides);
  const raster = decodePng(await scaled.png({ compressionLevel: 1 }).bytes());
  drawMarks(raster, marks);
  const png = encodePng(raster);
  return encodeWithin(annotatedFormat, () => new Bun.Image(png));
}
