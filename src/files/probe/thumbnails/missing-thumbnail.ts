/** Why a file has no thumbnail, in a sentence for people and models. */
import { demuxers } from "../helper-programs.ts";
import { canParse } from "../images/image.ts";
import type { Inspection } from "../kind.ts";
import { limits } from "../limits.ts";
import { svgType } from "../text-types.ts";

const megapixels = (width: number, height: number): number => Math.round((width * height) / 1e6);

/** As far as the file tells: which programs are installed now does not say which were at the upload. */
export function missingThumbnailReason({
  kind,
  mime,
  size,
  width,
  height,
}: Pick<Inspection, "kind" | "mime" | "width" | "height"> & { size: number }): string {
  const by = (program: string) => `No thumbnail: ${program} on the server could not make one, or is missing.`;
  if (kind === "video") return by("ffmpeg");
  if (kind === "pdf") return `${by("pdftoppm").slice(0, -1)}; a PDF with a password has none.`;
  if (kind === "html" || mime === svgType) return by("Chromium");
  if (kind !== "image") return `No thumbnail: svc makes none of ${mime}.`;
  if (demuxers.has(mime)) return by("ffmpeg");
  if (!canParse(mime)) return `No thumbnail: svc has no decoder for ${mime}.`;
  if (size > limits.imageBytes)
    return `No thumbnail: svc decodes images up to ${limits.imageBytes / 2 ** 20} MiB.`;
  const dimensions = width && height ? `of ${megapixels(width, height)} megapixels ` : "";
  return `No thumbnail: decoding this image ${dimensions}takes more memory than svc allows.`;
}
