/** Comments of a GIF, and the XMP that Adobe writes in an application extension. */
import type { BlockReader } from "../bytes.ts";
import { tagAt } from "../images/container.ts";
import { tableBytes } from "../images/gif.ts";
import { blockBytesMax, type MetadataBlock } from "./metadata-block.ts";

const code = { extension: 0x21, image: 0x2c, comment: 0xfe, application: 0xff } as const;
const screenBytes = 13;
const xmpName = "XMP DataXMP";

/** @param isAll false: only the blocks before the first image */
export function gifBlocks(file: BlockReader, isAll: boolean): MetadataBlock[] {
  const blocks: MetadataBlock[] = [];
  const [flags = 0] = file.read(10, 1);
  for (let at = screenBytes + tableBytes(flags); at < file.size; ) {
    const [kind, label] = file.read(at, 2);
    const isImage = kind === code.image;
    if ((kind !== code.extension && !isImage) || (isImage && !isAll)) break;
    const data = isImage ? at + 11 + tableBytes(file.read(at + 9, 1)[0] ?? 0) : at + 2;
    const { end, bytes } = readSubBlocks(file, data, isImage ? 0 : blockBytesMax);
    if (end === null) break;
    if (!isImage && label === code.comment) blocks.push({ start: at, end, type: "comment", data: bytes });
    if (!isImage && label === code.application && tagAt(bytes, 0, xmpName.length) === xmpName)
      blocks.push({ start: at, end, type: "xmp", data: file.read(data, end - data) });
    at = end;
  }
  return blocks;
}

/** Length-prefixed pieces, up to an empty one. @param bytesMax of which the content is returned */
function readSubBlocks(file: BlockReader, from: number, bytesMax: number) {
  const pieces: Uint8Array[] = [];
  let left = bytesMax;
  for (let at = from; at < file.size; ) {
    const [length = 0] = file.read(at, 1);
    if (left > 0) pieces.push(file.read(at + 1, length));
    left -= length;
    at += 1 + length;
    if (length === 0) return { end: at, bytes: Buffer.concat(pieces) };
  }
  return { end: null, bytes: Buffer.alloc(0) };
}
