/** Metadata in image files: the parts that say something about an image and do not draw it. */
import type { BlockReader } from "../bytes.ts";
import { gifBlocks } from "./gif-blocks.ts";
import { jpegBlocks } from "./jpeg-blocks.ts";
import type { MetadataBlock } from "./metadata-block.ts";
import { hasManifest } from "./mp4-manifest.ts";
import { pngBlocks } from "./png-blocks.ts";
import { webpBlocks } from "./webp-blocks.ts";

const walkers = new Map<string, (file: BlockReader, isAll: boolean) => MetadataBlock[]>([
  ["image/png", pngBlocks],
  ["image/apng", pngBlocks],
  ["image/jpeg", jpegBlocks],
  ["image/webp", webpBlocks],
  ["image/gif", gifBlocks],
]);

/** Types whose metadata can be removed. */
export const canRemoveMetadata = (mime: string): boolean => walkers.has(mime);

/**
 * The blocks of an image, in their order; of a video, whether it has a manifest.
 * @param isAll false: those that can be found without reading a large file to its end
 */
export function metadataBlocks(file: BlockReader, mime: string, isAll: boolean): MetadataBlock[] {
  const walk = walkers.get(mime);
  if (walk) return walk(file, isAll);
  const isMp4 = /^(video|audio)\/(mp4|quicktime|x-m4v)$/.test(mime);
  return isMp4 && hasManifest(file) ? [{ type: "c2pa", start: 0, end: 0, data: new Uint8Array() }] : [];
}
