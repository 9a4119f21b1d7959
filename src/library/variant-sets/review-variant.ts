/** The review of one variant, within the review of its set. */

import type { Caller } from "../../core/auth/caller.ts";
import { isolateBidi } from "../../core/lib/strings/display-text.ts";
import type { Micros } from "../../core/lib/time.ts";
import { conflict, noAsset, Problem } from "../../core/problem.ts";
import { recordReview } from "../assets/review.ts";
import type { LibraryContext } from "../context.ts";
import type { LibraryWrites } from "../port.ts";
import type { AssetRow } from "../rows.ts";
import { voterOf } from "../verdicts/voter.ts";
import type { ReviewedVariant, SetReviewInput, VariantReview } from "./review-schema.ts";

export interface Reviewed {
  variant: VariantReview;
  /** False if it was refused, or repeats the reviewer's verdict. */
  isNew: boolean;
  result: ReviewedVariant;
}

type Input = Omit<SetReviewInput, "variants"> & { variant: VariantReview; at: Micros };

/** Refuses instead of throwing what is wrong with this variant alone; nothing of it is written then. */
export async function reviewVariant(
  ctx: LibraryContext,
  writes: LibraryWrites,
  { project, set, variant, note, checklist, by, at }: Input,
  caller: Caller,
): Promise<Reviewed> {
  const { id, decision } = variant;
  const asset = await writes.asset(caller.projects, id);
  try {
    if (!asset) throw noAsset(id);
    if (asset.project !== project || asset.set !== set)
      throw conflict(`This asset does not belong to the set "${isolateBidi(set)}" of ${project}.`);
    if (await isRepeated(writes, asset, { decision, note }, caller))
      return { variant, isNew: false, result: { id, status: asset.status, error: null } };
    const given = {
      ...(by !== undefined && { by }),
      ...(decision === "rejected" && note !== undefined && { note }),
      ...(decision === "approved" && checklist && { checklist }),
    };
    const { seen_status = "pending" } = variant;
    const row = await recordReview(ctx, writes, { ...variant, ...given, seen_status }, caller, {
      at,
      isOfSet: true,
    });
    return { variant, isNew: true, result: { id, status: row.status, error: null } };
  } catch (error) {
    if (!(error instanceof Problem) || error.status >= 500) throw error;
    const { status, detail } = error;
    return {
      variant,
      isNew: false,
      result: { id, status: asset?.status ?? null, error: { status, detail } },
    };
  }
}

/** Whether the caller has given this verdict on this file already, and it decided about the asset. */
async function isRepeated(
  writes: LibraryWrites,
  { id, status, sha256 }: AssetRow,
  { decision, note }: { decision: VariantReview["decision"]; note: string | undefined },
  caller: Caller,
): Promise<boolean> {
  if (status !== decision && !(decision === "approved" && status === "published")) return false;
  const own = (await writes.verdicts([id])).find(({ voter }) => voter === voterOf(caller));
  const isSame = own?.decision === decision && own.sha256 === sha256;
  return isSame && (decision === "approved" || own.note === note);
}
