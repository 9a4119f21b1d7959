/**
 * In the child that made a thumbnail: what tells images that look alike. A child for that alone would take
 * 20 ms of CPU to start.
 */
import type { Looks } from "../port.ts";
import { pictureHash } from "./fingerprint.ts";
import { signatureOfPixels } from "./signature.ts";

/** @param pixels what the thumbnail was encoded from: to decode the thumbnail takes five times as long */
export const looksOf = async (pixels: Uint8Array): Promise<Looks> => ({
  picture: await pictureHash(pixels).catch(() => null),
  signature: await signatureOfPixels(pixels).catch(() => null),
});
