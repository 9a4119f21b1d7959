/**
 * The kinds of assets as pages show them. A new kind is a row in `src/files/probe/kind.ts`, one here, and one
 * in `src/web/desk/viewer.tsx`; the types ask for each.
 */
import type { AssetKind } from "../../library/assets/schema.ts";
import type { IconName } from "../icons/icons.tsx";

interface KindRow {
  icon: IconName;
  /** Its heading in settings. */
  title: string;
  /** How a place in it is marked, beside a quote of its text. */
  marks: readonly ("drawn" | "timed" | "quoted")[];
  /** The fields that people type a place in; scripts also fill in the others. */
  placeFields: readonly string[];
}

const area = ["x", "y", "w", "h"];

const kind = (icon: IconName, title: string, marks: KindRow["marks"], ...placeFields: string[]): KindRow => ({
  icon,
  title,
  marks,
  placeFields,
});

export const kindRows: Record<AssetKind, KindRow> = {
  image: kind("image", "Images", ["drawn"], ...area),
  video: kind("run", "Videos", ["drawn", "timed"], "from", "to", ...area),
  audio: kind("sound", "Audio", ["timed"], "from", "to"),
  pdf: kind("book", "PDFs", ["drawn", "quoted"], "page", ...area, "quote"),
  html: kind("globe", "HTML pages", ["drawn"], "viewport_w", ...area, "quote"),
  file: kind("layers", "Other files", [], "line_from", "line_to", "quote"),
};
