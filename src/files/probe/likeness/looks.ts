/**
 * In the child that made a thumbnail: what tells images that look alike. A child for that alone would take
 * 20 ms of CPU to start.
 */
import type { Thumbnail } from "../images/image.ts";
import type { Looks } from "../port.ts";
import { pictureHash } from "./fingerprint.ts";
import { meanColors } from "./signature.ts";

/** To decode the thumbnail takes five times as long as what it was encoded from. */
export const looksOf = async ({ pixels, small }: Thumbnail): Promise<Looks> => ({
  picture: await pictureHash(pixels).catch(() => null),
  signature: meanColors(small),
});
