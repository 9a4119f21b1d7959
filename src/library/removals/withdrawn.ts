/** What a removal changes in the row of an asset. */

import type { AssetChange, AssetRow } from "../rows.ts";
import type { RemovalRow } from "./rows.ts";

type Removed = Pick<RemovalRow, "kind" | "removed_by" | "removed_at" | "reason">;

/** A pending asset without its files leaves the queue as rejected, without a decision of the project. */
export function changeOf({ status }: Pick<AssetRow, "status">, removal: Removed): AssetChange {
  const withdrawn: AssetChange = {
    public_url: null,
    ...(status === "published" && { status: "approved" }),
  };
  if (removal.kind === "publication") return withdrawn;
  return {
    ...withdrawn,
    ...(status === "pending" && {
      status: "rejected",
      reviewed_by: removal.removed_by,
      reviewed_at: removal.removed_at,
      review_note: `The files were deleted: ${removal.reason}`,
    }),
    key: null,
    has_thumb: false,
    bundle_index: null,
    expires_at: null,
  };
}
