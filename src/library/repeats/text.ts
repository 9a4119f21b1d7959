/** How people and agents are told that a file repeats one that was rejected. */
import { isolateBidi } from "../../core/lib/strings/display-text.ts";
import type { Repeats } from "./schema.ts";

type Told = Pick<Repeats, "id" | "note" | "likeness" | "places">;

/** One sentence with the note of the rejection. */
export const repeatText = (repeats: Told): string =>
  `${headOf(repeats)}${repeats.note === null ? "." : `: "${isolateBidi(repeats.note.trim())}"`}`;

function headOf({ id, likeness, places }: Told): string {
  if (likeness === "identical") return `This file was already rejected as ${id}`;
  if (likeness === "reencoded") return `This file looks like ${id}, which was rejected`;
  return `${unchangedText(places)} of ${id}`;
}

/** `Unchanged at 2 of 3 marked places`. */
export function unchangedText(places: Repeats["places"]): string {
  const count = places.filter(({ state }) => state === "unchanged").length;
  return `Unchanged at ${count} of ${places.length} marked ${places.length === 1 ? "place" : "places"}`;
}
