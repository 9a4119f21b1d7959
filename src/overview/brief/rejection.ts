/** Rejections in a brief: one line each, with the reviewer's note, which is truncated if space is short. */

import { escapeControls } from "../../core/lib/strings/display-text.ts";
import { ellipsize } from "../../core/lib/strings/truncate.ts";
import type { TagData } from "../../core/lib/strings/untrusted-text.ts";
import { dayOf } from "../../core/lib/time.ts";
import { taskWords } from "../../core/task-key.ts";
import type { RejectionRow } from "../../library/rows.ts";
import { setOfRef } from "../../memory/set-ref.ts";
import { oppositeText } from "./lines.ts";
import type { TruncatableEntry } from "./text-budget.ts";

/** A note truncated to fewer characters than this would say nothing. */
const noteLengthMin = 40;
/** Names are truncated to this many characters in a line that is short of space. */
const nameLengthMax = 32;

/**
 * Renders a rejection as an entry of a brief.
 * @param newer the id of a newer decision that says the opposite
 */
export function rejectionEntry(
  { valid_from, actor, text, source_ref, asset }: RejectionRow,
  enclose: TagData,
  newer?: number,
): TruncatableEntry {
  const id = setOfRef(source_ref) === null ? escapeControls(source_ref ?? "unknown") : null;
  const words = asset && taskWords(asset);
  const task = words === null ? "" : `, ${words}`;
  // The next attempt names it in `replaces`.
  const isOpen = asset?.status === "rejected" ? ", not replaced yet" : "";
  const opposite = oppositeText(newer);
  const title = asset ? `${asset.title}, version ${asset.version}: ` : "";
  const line = (note: string) =>
    `- ${dayOf(valid_from)}, ${subjectOf(id)}${task}${isOpen}${opposite}: ${enclose(actor, title + note)}`;
  const shortLine = (note: string) =>
    `- ${subjectOf(id && ellipsize(id, nameLengthMax))}: ` +
    `${enclose(ellipsize(escapeControls(actor), nameLengthMax), note)}`;
  const pointer = ` (truncated; full note: ${asset ? "svc_asset_get" : "svc_recall"})`;
  const longest = (render: (note: string) => string, min: number, max: number) =>
    longestFitting(text, min, (note) => {
      const rendered = render(note) + (note === text ? "" : pointer);
      return rendered.length <= max ? rendered : null;
    });
  return {
    full: line(text),
    truncate: (max, isEssential) =>
      longest(line, noteLengthMin, max) ?? (isEssential ? longest(shortLine, 1, max) : null),
  };
}

/** A set is named by the first line of its decision. */
const subjectOf = (asset: string | null): string => (asset === null ? "variant set" : `asset ${asset}`);

/** Renders the text, or its longest prefix of at least `min` characters that fits, by binary search. */
function longestFitting(text: string, min: number, render: (prefix: string) => string | null): string | null {
  let found = render(text);
  if (found !== null) return found;
  for (let [least, most] = [Math.min(min, text.length), text.length - 1]; least <= most; ) {
    const middle = Math.ceil((least + most) / 2);
    const rendered = render(ellipsize(text, middle));
    if (rendered === null) most = middle - 1;
    else {
      found = rendered;
      least = middle + 1;
    }
  }
  return found;
}
