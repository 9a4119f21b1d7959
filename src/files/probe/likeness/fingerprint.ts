/** Short fingerprints of files: they choose which rejected files a new one is compared with, and decide nothing. */
import { rasterOf } from "../images/raster.ts";

const side = 8;

/** Whether an image brightens from each of 9 × 8 cells to the next: 64 bits as hex digits (dHash). */
export async function pictureHash(image: Uint8Array): Promise<string> {
  const { pixels } = await rasterOf(new Bun.Image(image).resize(side + 1, side));
  let bits = 0n;
  for (let row = 0; row < side; row++)
    for (let column = 0; column < side; column++) {
      const at = (row * (side + 1) + column) * 4;
      bits = (bits << 1n) | (brightness(pixels, at + 4) > brightness(pixels, at) ? 1n : 0n);
    }
  return bits.toString(16).padStart(side * 2, "0");
}

function brightness(pixels: Uint8Array, at: number): number {
  const sum = (pixels[at] as number) + 2 * (pixels[at + 1] as number) + (pixels[at + 2] as number);
  const alpha = (pixels[at + 3] as number) / 255;
  return sum * alpha + 1020 * (1 - alpha);
}
