/** What an image says of itself beside its pixels. */
import type { BlockReader } from "../bytes.ts";
import { tagAt, viewOf } from "../images/container.ts";
import { exifTags } from "../provenance/exif.ts";
import type { MetadataBlock } from "../provenance/metadata-block.ts";
import type { MetadataName } from "./schema.ts";

/** Tags of Exif 3.0, keywords of PNG text, and properties of XMP that say it. */
const sources: Partial<Record<MetadataName, { exif?: number; png?: string; xmp: string[] }>> = {
  title: { png: "Title", xmp: ["dc:title"] },
  description: { exif: 0x010e, png: "Description", xmp: ["dc:description"] },
  author: { exif: 0x013b, png: "Author", xmp: ["dc:creator"] },
  copyright: { exif: 0x8298, png: "Copyright", xmp: ["dc:rights"] },
  license: { png: "License", xmp: ["xmpRights:WebStatement", "xmpRights:UsageTerms", "cc:license"] },
  gps: { exif: 0x8825, xmp: ["exif:GPSLatitude"] },
};
/** Where most readers look for a profile; it comes before the pixels. */
const headBytes = 64 * 1024;

export function imageMetadata(
  file: BlockReader,
  mime: string,
  blocks: readonly MetadataBlock[],
): Map<MetadataName, boolean> {
  const has = (type: MetadataBlock["type"]) => blocks.some((block) => block.type === type);
  const tags = new Set(blocks.flatMap(({ type, data }) => (type === "exif" ? exifTags(data) : [])));
  const keywords = new Set(blocks.flatMap(({ keyword }) => keyword ?? []));
  const xmp = blocks
    .flatMap(({ type, data }) => (type === "xmp" ? new TextDecoder().decode(data) : []))
    .join("\n");
  const found = new Map<MetadataName, boolean>([
    ["exif", has("exif")],
    ["xmp", has("xmp")],
    ["c2pa", has("c2pa")],
    ["color_profile", hasProfile(file, mime)],
  ]);
  for (const [name, { exif, png, xmp: properties }] of Object.entries(sources))
    found.set(
      name as MetadataName,
      (exif !== undefined && tags.has(exif)) ||
        (png !== undefined && keywords.has(png)) ||
        properties.some((property) => xmp.includes(property)),
    );
  return found;
}

function hasProfile(file: BlockReader, mime: string): boolean {
  const head = file.read(0, Math.min(file.size, headBytes));
  if (mime === "image/webp") return tagAt(head, 12) === "VP8X" && ((head[20] ?? 0) & 0x20) !== 0;
  if (mime === "image/jpeg") return Buffer.from(head).includes("ICC_PROFILE\0");
  if (mime === "image/gif") return Buffer.from(head).includes("ICCRGBG1012");
  for (let at = 8; at + 12 <= head.length; at += 12 + viewOf(head).getUint32(at)) {
    const name = tagAt(head, at + 4);
    if (name === "iCCP" || name === "sRGB" || name === "cICP") return true;
    if (name === "IDAT") return false;
  }
  return false;
}
