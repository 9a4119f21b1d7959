/** Metadata chunks of a PNG. */
import type { BlockReader } from "../bytes.ts";
import { tagAt, viewOf } from "../images/container.ts";
import { zlib } from "../zlib.ts";
import { blockBytesMax, type MetadataBlock, readBlock } from "./metadata-block.ts";

const signatureBytes = 8;
const xmpKeyword = "XML:com.adobe.xmp";

const types: Record<string, MetadataBlock["type"]> = {
  tEXt: "text",
  zTXt: "text",
  iTXt: "text",
  eXIf: "exif",
  caBX: "c2pa",
  tIME: "other",
};

/** @param isAll false: only the chunks before the image, since a large file would be read to its end */
export function pngBlocks(file: BlockReader, isAll: boolean): MetadataBlock[] {
  const blocks: MetadataBlock[] = [];
  for (let at = signatureBytes; at + 12 <= file.size; ) {
    const header = file.read(at, 8);
    const length = viewOf(header).getUint32(0);
    const name = tagAt(header, 4);
    const end = at + 12 + length;
    if (end > file.size || name === "IEND" || (name === "IDAT" && !isAll)) break;
    const type = types[name];
    if (type) blocks.push({ start: at, end, ...contentOf(name, type, readBlock(file, at + 8, length)) });
    at = end;
  }
  return blocks;
}

type Content = Pick<MetadataBlock, "type" | "data" | "keyword">;

function contentOf(name: string, type: MetadataBlock["type"], chunk: Uint8Array): Content {
  if (type !== "text") return { type, data: chunk };
  const keyword = textUntilNul(chunk, 0);
  const data = textOf(name, chunk, keyword.length + 1);
  return keyword === xmpKeyword ? { type: "xmp", data } : { type: "text", data, keyword };
}

/** The text of a chunk as UTF-8 (PNG, third edition, 11.3.3). */
function textOf(name: string, chunk: Uint8Array, at: number): Uint8Array {
  if (name === "tEXt") return Buffer.from(Buffer.from(chunk.subarray(at)).toString("latin1"));
  if (name === "zTXt") return Buffer.from(inflated(chunk.subarray(at + 1)).toString("latin1"));
  const isCompressed = chunk[at] === 1;
  const language = at + 2;
  const translated = language + textUntilNul(chunk, language).length + 1;
  const text = chunk.subarray(translated + textUntilNul(chunk, translated).length + 1);
  return isCompressed ? inflated(text) : text;
}

const textUntilNul = (bytes: Uint8Array, at: number): string => {
  const end = bytes.indexOf(0, at);
  return Buffer.from(bytes.subarray(at, end < 0 ? bytes.length : end)).toString("latin1");
};

/** Empty for text that is damaged, or longer than is read. */
function inflated(bytes: Uint8Array): Buffer {
  try {
    return zlib().inflateSync(bytes, { maxOutputLength: blockBytesMax });
  } catch {
    return Buffer.alloc(0);
  }
}
