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
  const cellOf = (at: number, length: number) => Math.floor((at / length) * signatureSide);
  const columns = Array.from({ length: width }, (_, x) => cellOf(x, width));
  // The child runs without a JIT compiler: the inner loop does as little as it can.
  for (let y = 0, at = 0; y < height; y++) {
    const row = cellOf(y, height) * signatureSide;
    for (let x = 0; x < width; x++, at += 4) {
      const cell = row + (columns[x] as number);
      const alpha = pixels[at + 3] as number;
      const ground = alpha === 255 ? 0 : 255 - alpha;
      const share = alpha === 255 ? 1 : alpha / 255;
      (counts[cell] as number) += 1;
      (sums[cell * 3] as number) += (pixels[at] as number) * share + ground;
      (sums[cell * 3 + 1] as number) += (pixels[at + 1] as number) * share + ground;
      (sums[cell * 3 + 2] as number) += (pixels[at + 2] as number) * share + ground;
    }
  }
  const means = Uint8Array.from(sums, (sum, at) => Math.round(sum / (counts[Math.floor(at / 3)] || 1)));
  return Buffer.from(means).toString("base64");
}
