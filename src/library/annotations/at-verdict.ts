/** What a verdict does to annotations: it opens its reviewer's drafts, and a rejection carries the open ones. */
import type { Caller } from "../../core/auth/caller.ts";
import { readerOf } from "../../core/auth/reader.ts";
import type { Micros } from "../../core/lib/time.ts";
import type { LibraryWrites } from "../port.ts";
import type { AssetRow } from "../rows.ts";
import { rankOf } from "./rank.ts";
import type { RejectionLine } from "./rejection-text.ts";
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
