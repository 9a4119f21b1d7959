/** The text of the decision that a rejection becomes: the note, and what to change, one line each. */
import { rankOf } from "./rank.ts";

/** The decision is no longer than a note can be. */
export const rejectionBytesMax = 4096;

/** Something to change. */
export interface RejectionLine {
  /** As of an annotation: lines of a lower one come first. */
  rank: number;
  text: string;
}

/** The rank of required changes that are not annotations. */
export const mustRank = rankOf({ reopened: 0, weight: "must" });

/**
 * The note and as many whole lines as fit, sorted by rank. What does not fit is counted, with the call that
 * returns it; nothing is cut silently.
 */
export function rejectionText(note: string, lines: readonly RejectionLine[], asset: string): string {
  const sorted = lines.toSorted((a, b) => a.rank - b.rank).map(({ text }) => text);
  const whole = [note, ...sorted].join("\n");
  if (Buffer.byteLength(whole) <= rejectionBytesMax) return whole;
  const rest = (count: number) => `\n... and ${count} more: svc_asset_get ${asset}`;
  const reserved = Buffer.byteLength(rest(sorted.length));
  let text = cutNote(note, rejectionBytesMax - reserved, asset);
  let bytes = Buffer.byteLength(text);
  for (const [index, line] of sorted.entries()) {
    bytes += 1 + Buffer.byteLength(line);
    if (bytes + reserved > rejectionBytesMax) return text + rest(sorted.length - index);
    text += `\n${line}`;
  }
  return text;
}

/** A note that leaves no space for what follows says that it was cut, and where all of it is. */
function cutNote(note: string, bytesMax: number, asset: string): string {
  if (Buffer.byteLength(note) <= bytesMax) return note;
  const end = `… (whole note: svc_asset_get ${asset})`;
  let room = bytesMax - Buffer.byteLength(end);
  let start = "";
  for (const { segment } of new Intl.Segmenter().segment(note)) {
    room -= Buffer.byteLength(segment);
    if (room < 0) break;
    start += segment;
  }
  return start + end;
}
