/** In the child: the signature of an image, by which images that look alike are found. */
import type { BlockReader } from "../bytes.ts";
import { openImage, type RenderedFile } from "../images/image.ts";
import { decodePng } from "../images/raster.ts";
import { signatureSide } from "./schema.ts";

/** Of the longer side, in pixels, before the means are taken. */
const scaledSide = 64;

/** The mean colors of a grid over the image on white, in base64. Throws if it is damaged or too large. */
export async function signatureOf(file: BlockReader, as: RenderedFile): Promise<string> {
  const scaled = await openImage(file, as).scaled({ min: scaledSide, max: scaledSide });
  const { width, height, pixels } = decodePng(await scaled.png({ compressionLevel: 0 }).bytes());
  const sums = new Float64Array(signatureSide ** 2 * 3);
  const counts = new Uint32Array(signatureSide ** 2);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const cellOf = (at: number, length: number) => Math.floor((at / length) * signatureSide);
      const cell = cellOf(y, height) * signatureSide + cellOf(x, width);
      const at = (y * width + x) * 4;
      const alpha = (pixels[at + 3] as number) / 255;
      (counts[cell] as number) += 1;
      for (let channel = 0; channel < 3; channel++)
        (sums[cell * 3 + channel] as number) += (pixels[at + channel] as number) * alpha + 255 * (1 - alpha);
    }
  const means = Uint8Array.from(sums, (sum, at) => Math.round(sum / (counts[Math.floor(at / 3)] || 1)));
  return Buffer.from(means).toString("base64");
}
