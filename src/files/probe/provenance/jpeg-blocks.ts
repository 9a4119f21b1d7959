/** Metadata segments of a JPEG, all of which come before its first scan. */
import type { BlockReader } from "../bytes.ts";
import { tagAt, viewOf } from "../images/container.ts";
import { type MetadataBlock, readBlock } from "./metadata-block.ts";

const code = { startOfScan: 0xda, exifOrXmp: 0xe1, jumbf: 0xeb, photoshop: 0xed, comment: 0xfe } as const;
const exifSignature = "Exif\0\0";
const xmpSignature = "http://ns.adobe.com/xap/1.0/\0";
const headerBytes = 4;

export function jpegBlocks(file: BlockReader): MetadataBlock[] {
  const blocks: MetadataBlock[] = [];
  for (let at = 2; at + headerBytes <= file.size; ) {
    const header = file.read(at, headerBytes);
    if (header[0] !== 0xff || header[1] === 0xff) {
      at++; // padding
      continue;
    }
    const marker = header[1] as number;
    const end = at + 2 + viewOf(header).getUint16(2);
    if (marker === code.startOfScan || end < at + headerBytes || end > file.size) break;
    const data = () => readBlock(file, at + headerBytes, end - at - headerBytes);
    if (marker === code.exifOrXmp) blocks.push({ start: at, end, ...exifOrXmp(data()) });
    else if (marker === code.jumbf && tagAt(data(), 0, 2) === "JP")
      blocks.push({ start: at, end, type: "c2pa", data: data() });
    else if (marker === code.photoshop || marker === code.comment)
      blocks.push({
        start: at,
        end,
        data: data(),
        type: marker === code.comment ? "comment" : "other",
      });
    at = end;
  }
  return blocks;
}

function exifOrXmp(data: Uint8Array): Pick<MetadataBlock, "type" | "data"> {
  for (const [type, signature] of [
    ["exif", exifSignature],
    ["xmp", xmpSignature],
  ] as const)
    if (tagAt(data, 0, signature.length) === signature)
      return { type, data: data.subarray(signature.length) };
  return { type: "other", data };
}
