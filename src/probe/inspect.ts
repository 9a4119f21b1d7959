/** In the child: detects the type, dimensions and duration of a file. */
import type { BlockReader } from "./bytes.ts";
import { sniff } from "./content-sniffing.ts";
import { type FileType, type Inspection, isZip, withoutMetadata } from "./kind.ts";
import { limits } from "./limits.ts";
import { inspectText } from "./text-types.ts";

/**
 * Reports the type before parsing any further, so that a file that crashes its parser still has one. `isAll`
 * marks the last report.
 */
export async function inspect(
  file: BlockReader,
  report: (found: Inspection, isAll: boolean) => void,
): Promise<void> {
  const head = file.read(0, limits.headBytes);
  const isWhole = head.length === file.size;
  const text = inspectText(head, isWhole);
  if (text) return report(text, true);
  const type = await sniff(head, isWhole);
  const isAll = !isZip(head) && !isMedia(type);
  report(withoutMetadata(type), isAll);
  if (!isAll) report(isZip(head) ? await bundleOrZip(type, file) : await readMetadata(type, file), true);
}

const isMedia = ({ kind }: FileType): boolean => kind === "image" || kind === "audio" || kind === "video";

/** Whatever else a zip may be taken for: with an index it is a bundle. */
async function bundleOrZip(type: FileType, file: BlockReader): Promise<Inspection> {
  const { hasIndex } = await import("./bundle/bundle.ts");
  return withoutMetadata((await hasIndex(file)) ? { mime: "application/zip", kind: "html" } : type);
}

/** A damaged file, or one beyond the limits, becomes a plain file, so that no page tries to show it. */
async function readMetadata({ mime, kind }: FileType, file: BlockReader): Promise<Inspection> {
  const type = { mime, kind };
  try {
    // Before the dimensions, whose parsers shift the bytes of the file.
    const stated = await statedBy(file, mime);
    if (kind === "image") {
      const { dimensions } = await import("./images/image.ts");
      return { ...withoutMetadata(type), ...(await dimensions(file, mime)), ...stated };
    }
    const { readMediaMetadata: measures } = await import("./media.ts");
    return { ...withoutMetadata(type), ...(await measures(file, mime)), ...stated };
  } catch {
    return withoutMetadata({ mime, kind: "file" });
  }
}

/** What the file says of how it was made. Damaged metadata says nothing, and does no harm to the image. */
async function statedBy(file: BlockReader, mime: string): Promise<Pick<Inspection, "provenance">> {
  const { provenanceIn } = await import("./provenance/provenance.ts");
  try {
    const provenance = provenanceIn(file, mime);
    return provenance.length > 0 ? { provenance } : {};
  } catch {
    return {};
  }
}
