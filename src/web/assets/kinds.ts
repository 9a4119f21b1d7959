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

export const kindRows: Record<AssetKind, KindRow> = {
  image: { icon: "image", title: "Images", marks: ["drawn"], placeFields: area },
  video: {
    icon: "run",
    title: "Videos",
    marks: ["drawn", "timed"],
    placeFields: ["from", "to", ...area],
  },
  audio: { icon: "sound", title: "Audio", marks: ["timed"], placeFields: ["from", "to"] },
  pdf: {
    icon: "book",
    title: "PDFs",
    marks: ["drawn", "quoted"],
    placeFields: ["page", ...area, "quote"],
  },
  html: {
    icon: "globe",
    title: "HTML pages",
    marks: ["drawn"],
    placeFields: ["viewport_w", ...area, "quote"],
  },
  file: {
    icon: "layers",
    title: "Other files",
    marks: [],
    placeFields: ["line_from", "line_to", "quote"],
  },
};
