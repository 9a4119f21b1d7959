/** In the child: what a file says of how it was made. */
import type { Provenance } from "../../provenance/schema.ts";
import type { BlockReader } from "../bytes.ts";
import { limits } from "../limits.ts";
import { metadataBlocks } from "./blocks.ts";
import { readExif } from "./exif.ts";
import { fromComfyUi, fromInvokeAi, fromWebUi, type Made, nothing } from "./generators.ts";
import type { MetadataBlock } from "./metadata-block.ts";
import { fromTags } from "./tags.ts";
import { fromXmp } from "./xmp.ts";

/** What the reader caches, so that the inspection reads the file once. */
const bytesReadMax = limits.blocks * limits.blockBytes;

const sources: Record<MetadataBlock["type"], Provenance["source"] | null> = {
  text: "png",
  exif: "exif",
  xmp: "xmp",
  c2pa: "c2pa",
  comment: "tags",
  other: null,
};

/** At most one for each source; empty if the file says nothing. */
export function provenanceIn(file: BlockReader, mime: string): Provenance[] {
  const found = new Map<Provenance["source"], Provenance>();
  for (const block of metadataBlocks(file, mime, file.size <= bytesReadMax)) {
    const source = sources[block.type];
    const made = !source || found.has(source) ? null : madeIn(block);
    if (source && made) found.set(source, { source, ...made });
  }
  return [...found.values()];
}

function madeIn({ type, data, keyword }: MetadataBlock): Made | null {
  if (type === "c2pa") return nothing;
  if (type === "xmp") return fromXmp(textOf(data));
  if (type === "exif") return fromExif(data);
  if (type === "comment") return fromTags(new Map([["comment", textOf(data)]]));
  const read = keyword === undefined ? undefined : readers[keyword];
  return read?.(textOf(data)) ?? null;
}

/** Keywords of PNG text that generators write. */
const readers: Record<string, (text: string) => Made | null> = {
  parameters: fromWebUi,
  prompt: fromComfyUi,
  invokeai_metadata: fromInvokeAi,
};

function fromExif(data: Uint8Array): Made | null {
  const fields = readExif(data);
  if (!fields) return null;
  const graph = fields.camera.find((text) => text.startsWith("prompt:"));
  if (graph) return fromComfyUi(graph.slice("prompt:".length));
  const made = fields.userComment && fromWebUi(fields.userComment);
  return made ? { ...made, generator: fields.software ?? made.generator } : null;
}

const textOf = (data: Uint8Array): string => new TextDecoder().decode(data);
