/** In the child: detects the type, dimensions and duration of a file, and makes the thumbnail of an image. */
import type { Provenance } from "../provenance/schema.ts";
import type { BlockReader } from "./bytes.ts";
import { sniff } from "./content-sniffing.ts";
import type { Thumbnail } from "./images/image.ts";
import { type FileType, type Inspection, isMedia, isZip, withoutMetadata } from "./kind.ts";
import { limits } from "./limits.ts";
import type { Looks } from "./port.ts";
import { inspectText } from "./text-types.ts";

interface Result {
  found: Inspection;
  thumbnail: Uint8Array | null;
  looks?: Looks;
  /** Whether the child may take another file: no parser threw. */
  isReusable: boolean;
}

/**
 * Inspects a file. If that takes a parser, it reports the type before, so that a file that crashes its parser
 * still has one.
 */
export async function inspect(file: BlockReader, report: (type: Inspection) => void): Promise<Result> {
  const head = file.read(0, limits.headBytes);
  const text = inspectText(head, head.length === file.size);
  if (text) return { found: text, thumbnail: null, isReusable: true };
  const type = await sniff(file, head);
  const found = withoutMetadata(type);
  if (!isZip(head) && !isMedia(type)) return { found, thumbnail: null, isReusable: true };
  report(found);
  return isZip(head) ? readZip(type, file) : readMedia(type, file);
}

/** Whatever else a zip may be taken for: with an index it is a bundle. */
async function readZip(type: FileType, file: BlockReader): Promise<Result> {
  const { lookForIndex } = await import("./bundle/bundle.ts");
  const { hasIndex, isDamaged } = await lookForIndex(file);
  const found = withoutMetadata(hasIndex ? { mime: "application/zip", kind: "html" } : type);
  return { found, thumbnail: null, isReusable: !isDamaged };
}

/** A damaged file, or one beyond the limits, becomes a plain file, so that no page tries to show it. */
async function readMedia(type: FileType, file: BlockReader): Promise<Result> {
  const { mime } = type;
  try {
    // Before the dimensions, whose parsers shift the bytes of the file.
    const { isReusable, stated } = await statedBy(file, mime);
    const { thumbnail, provenance = [], ...metadata } = await readMetadata(type, file);
    const all = [...provenance, ...stated];
    return {
      found: { ...withoutMetadata(type), ...metadata, ...(all.length > 0 && { provenance: all }) },
      thumbnail: thumbnail?.bytes ?? null,
      ...(thumbnail && { looks: await looksOf(thumbnail) }),
      isReusable,
    };
  } catch {
    return { found: withoutMetadata({ mime, kind: "file" }), thumbnail: null, isReusable: false };
  }
}

async function looksOf(thumbnail: Thumbnail): Promise<Looks> {
  const { looksOf } = await import("./likeness/looks.ts");
  return looksOf(thumbnail);
}

async function readMetadata(
  { mime, kind }: FileType,
  file: BlockReader,
): Promise<Partial<Inspection> & { thumbnail: Thumbnail | null }> {
  if (kind === "image") {
    const { readImage } = await import("./images/image.ts");
    return readImage(file, mime);
  }
  const { readMediaMetadata } = await import("./media/media.ts");
  return { ...(await readMediaMetadata(file, mime)), thumbnail: null };
}

/** What the file says of how it was made. Damaged metadata says nothing, and does no harm to the image. */
async function statedBy(
  file: BlockReader,
  mime: string,
): Promise<{ stated: Provenance[] } & Pick<Result, "isReusable">> {
  const { provenanceIn } = await import("./provenance/provenance.ts");
  try {
    return { stated: provenanceIn(file, mime), isReusable: true };
  } catch {
    return { stated: [], isReusable: false };
  }
}
