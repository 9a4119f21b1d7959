/** Rejections in a brief: one line each, with the reviewer's note, which is truncated if space is short. */

import { lazy } from "../../core/lib/lazy.ts";
import { escapeControls } from "../../core/lib/strings/display-text.ts";
import { ellipsize } from "../../core/lib/strings/truncate.ts";
import { type TagData, tagLengthMin } from "../../core/lib/strings/untrusted-text.ts";
import { dayOf } from "../../core/lib/time.ts";
import { taskWords } from "../../core/task-key.ts";
import type { RejectionRow } from "../../library/rows.ts";
import { setOfRef } from "../../memory/set-ref.ts";
import { anyDay, oppositeText } from "./lines.ts";
import type { LateEntry } from "./text-budget.ts";

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
): LateEntry {
  const id = setOfRef(source_ref) === null ? escapeControls(source_ref ?? "unknown") : null;
  const words = asset && taskWords(asset);
  const task = words === null ? "" : `, ${words}`;
  // The next attempt names it in `replaces`.
  const isOpen = asset?.status === "rejected" ? ", not replaced yet" : "";
  const opposite = oppositeText(newer);
  const title = asset ? `${asset.title}, version ${asset.version}: ` : "";
  const frame = (day: string) => `- ${day}, ${subjectOf(id)}${task}${isOpen}${opposite}: `;
  const line = (note: string) => `${frame(dayOf(valid_from))}${enclose(actor, title + note)}`;
  const lineMin = frame(anyDay).length + tagLengthMin + actor.length + title.length;
  const shortLine = (note: string) =>
    `- ${subjectOf(id && ellipsize(id, nameLengthMax))}: ` +
    `${enclose(ellipsize(escapeControls(actor), nameLengthMax), note)}`;
  const pointer = ` (truncated; full note: ${asset ? "svc_asset_get" : "svc_recall"})`;
  const longest = (render: (note: string) => string, lengthMin: number, min: number, max: number) =>
    longestFitting(text, min, max - lengthMin, (note) => {
      const rendered = render(note) + (note === text ? "" : pointer);
      return rendered.length <= max ? rendered : null;
    });
  return {
    lengthMin: lineMin + text.length,
    full: lazy(() => line(text)),
    truncate: (max, isEssential) =>
      longest(line, lineMin, noteLengthMin, max) ??
      (isEssential ? longest(shortLine, tagLengthMin, 1, max) : null),
  };
}

/** A set is named by the first line of its decision. */
const subjectOf = (asset: string | null): string => (asset === null ? "variant set" : `asset ${asset}`);

/**
 * Renders the text, or its longest prefix of at least `min` and at most `max` characters that fits, by binary
 * search.
 */
function longestFitting(
  text: string,
  min: number,
  max: number,
  render: (prefix: string) => string | null,
): string | null {
  let found = text.length <= max ? render(text) : null;
  if (found !== null) return found;
  for (let [least, most] = [Math.min(min, text.length), Math.min(max, text.length - 1)]; least <= most; ) {
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
