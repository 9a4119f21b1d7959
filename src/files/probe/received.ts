/** In the parent: checks what a child read of a file. The child is untrusted, since it parsed the file. */
import { cleanLine, cleanProse } from "../../core/lib/strings/clean-text.ts";
import { checker } from "../../core/lib/validate.ts";
import {
  nameBytesMax,
  type Provenance,
  parametersBytesMax,
  promptBytesMax,
  provenanceSources,
} from "../provenance/schema.ts";
import { FontContents } from "./font/schema.ts";
import { type Inspection, int32OrNull, kinds } from "./kind.ts";
import { isPictureHash, isSignature } from "./likeness/looks-format.ts";
import { FileMatch, PictureChange } from "./likeness/schema.ts";
import { FileMeasures } from "./measures/schema.ts";
import { ModelContents } from "./model/schema.ts";
import type { Edit, Looks, ThumbnailFormatName, Timeline } from "./port.ts";
import { TableContents } from "./table/schema.ts";
import { thumbnailFormats, uploadFormatOf } from "./thumbnails/thumbnail-format.ts";
import { peakPairs } from "./timeline/wav.ts";

/** Null if the inspection is malformed. */
export function readInspection(value: unknown): Inspection | null {
  const { mime, kind, width, height, duration_ms, provenance } = (value ?? {}) as Record<string, unknown>;
  if (typeof mime !== "string" || !/^[a-z]+\/[a-z0-9][a-z0-9.+-]{0,126}$/.test(mime)) return null;
  const knownKind = kinds.find((candidate) => candidate === kind);
  return knownKind
    ? {
        mime,
        kind: knownKind,
        width: int32OrNull(width),
        height: int32OrNull(height),
        duration_ms: int32OrNull(duration_ms),
        ...readProvenance(provenance),
      }
    : null;
}

/** As a field of an inspection; nothing if there is nothing valid. */
function readProvenance(value: unknown): { provenance?: Provenance[] } {
  const found = Array.isArray(value) ? value.slice(0, provenanceSources.length).flatMap(readOne) : [];
  return found.length > 0 ? { provenance: found } : {};
}

function readOne(value: unknown): Provenance[] {
  const fields = (value ?? {}) as Record<string, unknown>;
  const source = provenanceSources.find((known) => known === fields.source && known !== "upload");
  const clean = (name: keyof Provenance, read: (text: string) => string) => {
    const text = fields[name];
    return typeof text === "string" ? read(text) || null : null;
  };
  const line = (name: keyof Provenance) => clean(name, (text) => cleanLine(text, nameBytesMax));
  const prose = (name: keyof Provenance, bytesMax: number) =>
    clean(name, (text) => cleanProse(text, bytesMax));
  if (!source) return [];
  return [
    {
      source,
      generator: line("generator"),
      model: line("model"),
      prompt: prose("prompt", promptBytesMax),
      negative_prompt: prose("negative_prompt", promptBytesMax),
      seed: line("seed"),
      parameters: prose("parameters", parametersBytesMax),
    },
  ];
}

/** Null if the answer is malformed. */
export function readTimeline(answer: Record<string, unknown> | null): Timeline | null {
  const { peaks, frame_rate, is_index_last } = (answer?.timeline ?? {}) as Record<string, unknown>;
  const isPeak = (value: unknown) => Number.isInteger(value) && Math.abs(value as number) <= 127;
  const hasPeaks = Array.isArray(peaks) && peaks.length <= 2 * peakPairs && peaks.every(isPeak);
  const hasRate = typeof frame_rate === "string" && /^[1-9]\d{0,5}(\/[1-9]\d{0,5})?$/.test(frame_rate);
  if (typeof is_index_last !== "boolean") return null;
  return {
    peaks: hasPeaks && peaks.length > 0 ? peaks : null,
    frame_rate: hasRate ? frame_rate : null,
    is_index_last,
  };
}

/** Null if the answer is malformed. */
export function readModelContents(answer: Record<string, unknown> | null): ModelContents | null {
  if (!checker(ModelContents).Check(answer?.model)) return null;
  const found = answer?.model as ModelContents;
  const names = (list: string[]) => list.map((name) => cleanLine(name, nameBytesMax));
  return { ...found, undecoded: names(found.undecoded), missing: names(found.missing) };
}

/** Null if the answer is malformed. */
export function readTableContents(answer: Record<string, unknown> | null): TableContents | null {
  const found: unknown = answer?.table;
  if (!checker(TableContents).Check(found)) return null;
  const { header, rows, unread, ...counts } = found as TableContents;
  if (rows.some((row) => row.length !== header.length)) return null;
  const clean = (texts: string[]) => texts.map((text) => cleanLine(text, nameBytesMax));
  return { ...counts, header: clean(header), rows: rows.map(clean), unread: clean(unread) };
}

/** Null if the answer is malformed. */
export function readFontContents(answer: Record<string, unknown> | null): FontContents | null {
  const found: unknown = answer?.font;
  if (!checker(FontContents).Check(found)) return null;
  const { name, axes, shown, ...others } = found as FontContents;
  const clean = (text: string) => cleanLine(text, nameBytesMax);
  return {
    ...others,
    name: clean(name),
    axes: axes.map(clean),
    shown: shown.replace(/[^\p{L}\p{N}\p{P}\p{S}\p{Co}]/gu, ""),
  };
}

/** Null if the images could not be compared, or the answer is malformed. */
export const readPictureChange = (answer: Record<string, unknown> | null): PictureChange | null =>
  checker(PictureChange).Check(answer?.change) ? (answer?.change as PictureChange) : null;

/** Null if nothing is known of such a file, or the answer is malformed. */
export function readMeasures(answer: Record<string, unknown> | null): FileMeasures | null {
  const found: unknown = answer?.measures;
  if (!checker(FileMeasures).Check(found)) return null;
  const { has, lacks, contrast } = found as FileMeasures;
  const text = contrast && cleanLine(contrast.text, nameBytesMax);
  return { has, lacks, contrast: contrast && { ratio: contrast.ratio, text: text ?? "" } };
}

/** Null if the image could not be read, or the answer is malformed. */
export const readSignature = (answer: Record<string, unknown> | null): string | null =>
  isSignature(answer?.signature) ? answer.signature : null;

/** Null if the files could not be compared, or the answer is malformed. */
export function readFileMatch(answer: Record<string, unknown> | null, marks: number): FileMatch | null {
  if (!checker(FileMatch).Check(answer?.match)) return null;
  const found = answer?.match as FileMatch;
  return found.places.length === marks ? found : null;
}

/** Of a thumbnail. */
export const readLooks = (answer: Record<string, unknown> | null): Looks => ({
  picture: isPictureHash(answer?.picture) ? answer.picture : null,
  signature: readSignature(answer),
});

/** Null if it is no thumbnail of this format; by default, of one that uploads make. */
export function readThumbnail(
  bytes: Uint8Array,
  format: ThumbnailFormatName | undefined = uploadFormatOf(bytes),
): Uint8Array | null {
  if (!format) return null;
  const { bytesMax, matches } = thumbnailFormats[format];
  return bytes.length <= bytesMax && matches(bytes) ? bytes.slice() : null;
}

/** Edits of a file of this size, in its order and apart; null if they are malformed. */
export function readEdits(value: unknown, size: number): Edit[] | null {
  if (!Array.isArray(value)) return null;
  const edits: Edit[] = [];
  for (const edit of value) {
    const { start, end, replacement } = (edit ?? {}) as Record<string, unknown>;
    const isValid =
      Number.isInteger(start) &&
      Number.isInteger(end) &&
      (start as number) >= (edits.at(-1)?.end ?? 0) &&
      (end as number) >= (start as number) &&
      (end as number) <= size &&
      typeof replacement === "string";
    if (!isValid) return null;
    edits.push({
      start: start as number,
      end: end as number,
      replacement: Buffer.from(replacement as string, "base64"),
    });
  }
  return edits;
}
