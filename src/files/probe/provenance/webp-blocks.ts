/** Metadata chunks of a WebP. */
import type { BlockReader } from "../bytes.ts";
import { tagAt, viewOf } from "../images/container.ts";
import { type MetadataBlock, readBlock } from "./metadata-block.ts";

const riffBytes = 12;
const chunkBytes = 8;

const types: Record<string, MetadataBlock["type"]> = { EXIF: "exif", "XMP ": "xmp", C2PA: "c2pa" };

export function webpBlocks(file: BlockReader): MetadataBlock[] {
  const blocks: MetadataBlock[] = [];
  for (let at = riffBytes; at + chunkBytes <= file.size; ) {
    const header = file.read(at, chunkBytes);
    const length = viewOf(header).getUint32(4, true);
    const end = at + chunkBytes + length + (length & 1);
    if (end > file.size) break;
    const type = types[tagAt(header, 0)];
    if (type) blocks.push({ start: at, end, type, data: readBlock(file, at + chunkBytes, length) });
    at = end;
  }
  return blocks;
}
