/** What people with a share link see of the versions that it covers. */
import { fromMicros } from "../../core/lib/time.ts";
import { verdictByStatus } from "../assets/library.ts";
import type { AssetVersion } from "../assets/schema.ts";
import type { LibraryContext } from "../context.ts";
import { verdictsOfReplaced } from "../verdicts/approvals.ts";
import { thumbUrl } from "./access.ts";
import type { ShareRow } from "./rows.ts";
import { coveredVersions } from "./subject.ts";

/** Oldest first, with their verdicts, but not by whom; empty if the link covers one version alone. */
export async function loadCoveredVersions(ctx: LibraryContext, share: ShareRow): Promise<AssetVersion[]> {
  const rows = await coveredVersions(ctx, share);
  if (rows.length < 2) return [];
  const replaced = await verdictsOfReplaced(ctx.data, share.project, rows);
  return rows.map((row) => ({
    id: row.id,
    version: row.version,
    status: row.status,
    verdict: replaced.get(row.id) ?? verdictByStatus[row.status] ?? null,
    reviewed_by: null,
    created_at: fromMicros(row.created_at),
    created_by: row.created_by,
    thumb_url: thumbUrl(ctx, share, row),
  }));
}
