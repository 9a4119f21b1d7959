/**
 * In the child that made a thumbnail: what tells images that look alike. A child for that alone would take
 * 20 ms of CPU to start.
 */
import type { Looks } from "../port.ts";
import { pictureHash } from "./fingerprint.ts";
import { signatureOf } from "./signature.ts";

export async function looksOf(thumbnail: Uint8Array, mime: string): Promise<Looks> {
  const file = {
    size: thumbnail.length,
    // A copy: who reads an image takes its profile out in place.
    read: (offset: number, length: number) => thumbnail.slice(offset, offset + length),
  };
  return {
    picture: await pictureHash(thumbnail).catch(() => null),
    signature: await signatureOf(file, { mime }).catch(() => null),
  };
}
