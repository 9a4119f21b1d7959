/** In the child: what checks of decisions measure of a file. */
import type { BlockReader } from "../bytes.ts";
import { limits } from "../limits.ts";
import { metadataBlocks } from "../provenance/blocks.ts";
import { decodeText } from "../text-encoding.ts";
import { leastContrast } from "./contrast.ts";
import { imageMetadata } from "./image-metadata.ts";
import { pageMetadata } from "./page-metadata.ts";
import type { FileMeasures, MetadataName } from "./schema.ts";

/** Longer sources are not read. */
const sourceBytesMax = 4 * 2 ** 20;
const markup = new Set(["text/html", "application/xhtml+xml", "image/svg+xml"]);
/** Images whose metadata can be found, see `metadataBlocks`. */
const images = new Set(["image/png", "image/apng", "image/jpeg", "image/webp", "image/gif"]);

/** Null for a type of which nothing is known, or a file that is too long or damaged. */
export function measuresOf(file: BlockReader, mime: string): FileMeasures | null {
  if (images.has(mime)) {
    const blocks = metadataBlocks(file, mime, file.size <= limits.blocks * limits.blockBytes);
    return measuresWith(imageMetadata(file, mime, blocks), null);
  }
  if (!markup.has(mime) || file.size > sourceBytesMax) return null;
  const text = decodeText(file.read(0, file.size), true)?.text;
  if (text === undefined) return null;
  return measuresWith(pageMetadata(text, mime), leastContrast(text));
}

const measuresWith = (
  found: ReadonlyMap<MetadataName, boolean>,
  contrast: FileMeasures["contrast"],
): FileMeasures => {
  const named = (is: boolean) => [...found].filter(([, has]) => has === is).map(([name]) => name);
  return { has: named(true), lacks: named(false), contrast };
};
