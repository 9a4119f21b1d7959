/** What a verdict does to annotations: it opens its reviewer's drafts, and a rejection carries the open ones. */
import type { Caller } from "../../core/auth/caller.ts";
import { readerOf } from "../../core/auth/reader.ts";
import type { Micros } from "../../core/lib/time.ts";
import type { LibraryWrites } from "../port.ts";
import type { AssetRow } from "../rows.ts";
import { rankOf } from "./rank.ts";
import type { AnnotationRow } from "./rows.ts";
import { perVersionMax } from "./rule.ts";
import { annotationLine } from "./text.ts";

/** Opens the reviewer's drafts on the version, in the transaction of the verdict. @returns the open lines */
export async function openAtVerdict(
  writes: LibraryWrites,
  asset: Pick<AssetRow, "id" | "root_id">,
  caller: Caller,
  verdict: { reviewer: string; at: Micros },
): Promise<RejectionLine[]> {
  const opened = { by: verdict.reviewer, at: verdict.at };
  await writes.publishDrafts(asset.id, readerOf(caller) ?? verdict.reviewer, opened);
  return openLines(writes, asset);
}

/** The lines of a rejection: the open annotations of the version, and those that were reopened. */
export async function openLines(
  writes: LibraryWrites,
  { id, root_id }: Pick<AssetRow, "id" | "root_id">,
): Promise<RejectionLine[]> {
  const limit = perVersionMax;
  const ofVersion = await writes.annotations({ asset_id: id }, null, { limit });
  const ofChain = await writes.unsettledAnnotations(root_id, { limit });
  const isOpen = ({ state, parent_id }: AnnotationRow) => state === "open" && parent_id === null;
  const reopened = ofChain.filter(({ asset_id, reopened }) => reopened > 0 && asset_id !== id);
  return [...reopened, ...ofVersion]
    .filter(isOpen)
    .map((row) => ({ rank: rankOf(row), text: annotationLine(row) }));
}

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
