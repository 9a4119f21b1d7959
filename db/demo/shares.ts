/** A share link of the newest pending asset, for someone outside the team. Its secret is not known. */
import { ulid } from "ulid";
import type { Writes } from "../../src/data.ts";
import { dayMicros, fromMicros, type Micros, minuteMicros } from "../../src/lib/time.ts";
import type { AssetRow } from "../../src/rows.ts";
import type { ShareRow, ShareViewRow } from "../../src/shares/port.ts";
import type { TimedEvent } from "./draft.ts";
import { seededRandom } from "./random.ts";

export interface DemoShare {
  row: ShareRow;
  views: Omit<ShareViewRow, "count">[];
  event: TimedEvent;
}

/** Null without a pending asset that is old enough to have been shared. */
export function planShare(assets: readonly AssetRow[], now: Micros): DemoShare | null {
  const asset = assets.findLast(
    ({ status, kind, created_at }) =>
      status === "pending" && kind === "image" && created_at < now - 60 * minuteMicros,
  );
  if (!asset) return null;
  const { id, project, root_id, sha256, title, version, issue, pr } = asset;
  const created_at = asset.created_at + 17 * minuteMicros + 7;
  const expires_at = created_at + 14 * dayMicros;
  const row: ShareRow = {
    ...{ id: ulid(Math.floor(created_at / 1_000), seededRandom(version).next), hash: `of no secret: ${id}` },
    ...{ project, asset: id, root_id, follows: "fixed", rights: "verdict", role: null },
    ...{ recipient: "Marit at the harbor office", expires_at, passphrase: null, allow_download: false },
    ...{ created_by: "human:jonas", creator: null, created_at },
    ...{ revoked_at: null, revoked_by: null, reviewer: null, views: 0 },
  };
  const visit = { share: row.id, network: "198.51.100.0/24", name: null };
  const at = created_at + 20 * minuteMicros;
  const until = fromMicros(expires_at).slice(0, "2026-01-02T03:04".length).replace("T", " ");
  return {
    row,
    views: [
      { ...visit, slot: "demo-opened".padEnd(26, "-"), at, action: "opened", asset: null, sha256: null },
      { ...visit, slot: "demo-viewed".padEnd(26, "-"), at: at + 1, action: "viewed", asset: id, sha256 },
    ],
    event: {
      ...{ ts: created_at, kind: "share.created", actor: row.created_by, project, issue, pr },
      summary: `Shared ${title}, version ${version}, by a link (verdict) until ${until} UTC`,
    },
  };
}

export async function addShare(writes: Writes, { row, views }: DemoShare): Promise<void> {
  await writes.addShare(row);
  for (const view of views) await writes.addShareView(view);
}
