/**
 * Rejections in a brief: a line each, with the reviewer's note, which is cut where there is no room for all
 * of it.
 */
import type { Enclose } from "../lib/data-tags.ts";
import { inert } from "../lib/display-text.ts";
import { dayOf } from "../lib/time.ts";
import type { RejectionRow } from "../rows.ts";
import type { TruncatableEntry } from "./text-budget.ts";

/** Less of a note says nothing. */
const noteLengthMin = 40;
/** In a line that is short of room. */
const nameLengthMax = 32;

export function rejectionEntry(
  { valid_from, actor, text, source_ref, asset }: RejectionRow,
  enclose: Enclose,
): TruncatableEntry {
  const id = inert(source_ref ?? "unknown");
  const task = asset?.issue ? `, issue ${asset.issue}` : "";
  const what = asset ? `${asset.title}, version ${asset.version}: ` : "";
  const line = (note: string) => `- ${dayOf(valid_from)}, asset ${id}${task}: ${enclose(actor, what + note)}`;
  const bare = (note: string) =>
    `- asset ${truncatedText(id, nameLengthMax)}: ${enclose(truncatedText(inert(actor), nameLengthMax), note)}`;
  const pointer = ` (cut: ${asset ? "svc_asset_get" : "svc_recall"} has the whole note)`;
  const longest = (render: (note: string) => string, min: number, max: number) =>
    longestFitting(text, min, (note) => {
      const made = render(note) + (note === text ? "" : pointer);
      return made.length <= max ? made : null;
    });
  return {
    whole: line(text),
    truncate: (max, isEssential) =>
      longest(line, noteLengthMin, max) ?? (isEssential ? longest(bare, 1, max) : null),
  };
}

/** What is made of the text, or of its longest beginning that fits, of at least `min` characters. */
function longestFitting(
  text: string,
  min: number,
  render: (beginning: string) => string | null,
): string | null {
  let found = render(text);
  if (found !== null) return found;
  for (let [least, most] = [Math.min(min, text.length), text.length - 1]; least <= most; ) {
    const middle = Math.ceil((least + most) / 2);
    const made = render(truncatedText(text, middle));
    if (made === null) most = middle - 1;
    else {
      found = made;
      least = middle + 1;
    }
  }
  return found;
}

/** Cut at `length` characters, and no half of one at its end. */
const truncatedText = (text: string, length: number): string =>
  text.length <= length ? text : `${text.slice(0, length).replace(/[\ud800-\udbff]$/, "")}…`;
