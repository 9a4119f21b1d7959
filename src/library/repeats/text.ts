/** How people and agents are told that a file repeats one that was rejected. */
import { isolateBidi } from "../../core/lib/strings/display-text.ts";
import type { AnnotationRow } from "../annotations/rows.ts";
import { annotationLine } from "../annotations/text.ts";
import type { Repeats } from "./schema.ts";

type Told = Omit<Repeats, "reason" | "text">;

/** More places that are as they were are counted. */
const listedMax = 5;

/** One sentence with the note of the rejection. */
export const repeatText = (repeats: Told): string =>
  `${headOf(repeats)}${repeats.note === null ? "." : `: "${isolateBidi(repeats.note.trim())}"`}`;

/** The same, and the marks that are as they were. */
export function repeatDetails(repeats: Told, marks: readonly AnnotationRow[]): string {
  const { places } = repeats;
  const isUnchanged = new Set(
    places.flatMap(({ annotation, state }) => (state === "unchanged" ? annotation : [])),
  );
  const lines = marks
    .filter(({ id }) => isUnchanged.has(id))
    .map((mark) => `${annotationLine(mark)} (${mark.by})`);
  if (lines.length === 0) return repeatText(repeats);
  const more = lines.length > listedMax ? [`and ${lines.length - listedMax} more`] : [];
  return `${repeatText(repeats)} As it was: ${[...lines.slice(0, listedMax), ...more].join("; ")}`;
}

function headOf({ id, version, by = null, likeness, places }: Told): string {
  const which = version === undefined ? id : `${id}, version ${version}`;
  const rejection = by === null ? "" : `, rejected by ${by}`;
  if (likeness === "identical")
    return `This file was already rejected as ${which}${by === null ? "" : `, by ${by}`}`;
  if (likeness === "unchanged_places") return `${unchangedText(places)} of ${which}${rejection}`;
  return `This file looks like ${which}${rejection || ", which was rejected"}`;
}

/** `Unchanged at 2 of 3 marked places`. */
export function unchangedText(places: Repeats["places"]): string {
  const count = places.filter(({ state }) => state === "unchanged").length;
  return `Unchanged at ${count} of ${places.length} marked ${places.length === 1 ? "place" : "places"}`;
}
