/** Images with annotations drawn on them, for agents that see. */
import { canParse } from "./images/image.ts";
import type { Inspection } from "./kind.ts";
import type { FileSource, Mark, Moment } from "./port.ts";
import { bytesSource } from "./source.ts";
import { captureStill, type ImageTools, renderImage } from "./thumbnails/thumbnail.ts";
import { annotatedFormat } from "./thumbnails/thumbnail-format.ts";

/** Of the longer side of a frame or page, in pixels. */
const stillSide = 1024;

export async function makeAnnotatedImage(
  tools: ImageTools,
  source: FileSource,
  inspection: Inspection,
  moment: Moment,
  marks: readonly Mark[],
): Promise<Uint8Array | null> {
  const draw = (image: FileSource, mime: string) =>
    renderImage(tools, image, { work: "annotate", size: image.size, mime, marks, format: annotatedFormat });
  if (inspection.kind === "image") return canParse(inspection.mime) ? draw(source, inspection.mime) : null;
  const png = await captureStill(tools, source, inspection, { ...moment, side: stillSide });
  return png && draw(bytesSource(png), "image/png");
}
