/** In the child: what a file is, and how large and long. */
import type { Bytes } from "./bytes.ts";
import { sniff } from "./content-sniffing.ts";
import { type FileType, type Inspection, withoutMeasures } from "./kind.ts";
import { limits } from "./limits.ts";
import { inspectText } from "./text-types.ts";

/**
 * Says the type before it looks further, so that a file which kills its parser still has one; and says so
 * where that is all.
 */
export async function inspect(file: Bytes, say: (found: Inspection, isAll: boolean) => void): Promise<void> {
  const head = file.read(0, limits.headBytes);
  const isWhole = head.length === file.size;
  const text = inspectText(head, isWhole);
  if (text) return say(text, true);
  const type = await sniff(head, isWhole);
  const isZip = head[0] === 0x50 && head[1] === 0x4b && head[2] === 3 && head[3] === 4;
  const isAll = !isZip && !isMeasured(type);
  say(withoutMeasures(type), isAll);
  if (!isAll) say(isZip ? await bundleOr(type, file) : await measured(type, file), true);
}

const isMeasured = ({ kind }: FileType): boolean => kind === "image" || kind === "audio" || kind === "video";

/** Whatever else a zip may be taken for: with an index it is a bundle. */
async function bundleOr(type: FileType, file: Bytes): Promise<Inspection> {
  const { hasIndex } = await import("./bundle/bundle.ts");
  return withoutMeasures(hasIndex(file) ? { mime: "application/zip", kind: "html" } : type);
}

/** What is damaged, or larger than we look at, is a file like any other: nobody should try to show it. */
async function measured({ mime, kind }: FileType, file: Bytes): Promise<Inspection> {
  const type = { mime, kind };
  try {
    if (kind === "image") {
      const { dimensions } = await import("./images/image.ts");
      return { ...withoutMeasures(type), ...(await dimensions(file, mime)) };
    }
    const { measures } = await import("./media.ts");
    return { ...withoutMeasures(type), ...(await measures(file, mime)) };
  } catch {
    return withoutMeasures({ mime, kind: "file" });
  }
}
