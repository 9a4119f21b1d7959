/** Share links as the API returns them, without their secret. */
import { fromMicros } from "../../core/lib/time.ts";
import type { ShareRow, ShareViewRow } from "./rows.ts";
import type { Share, ShareLog, ShareState } from "./schema.ts";

export const toShare = (row: ShareRow, state: ShareState): Share => ({
  id: row.id,
  asset_id: row.asset,
  project: row.project,
  follows: row.follows,
  rights: row.rights,
  annotations: row.annotations,
  role: row.role,
  recipient: row.recipient,
  expires_at: fromMicros(row.expires_at),
  has_passphrase: row.passphrase !== null,
  allow_download: row.allow_download,
  created_by: row.created_by,
  created_at: fromMicros(row.created_at),
  revoked_at: row.revoked_at === null ? null : fromMicros(row.revoked_at),
  revoked_by: row.revoked_by,
  state,
  views: row.views,
});

export const toLogEntry = (row: ShareViewRow): ShareLog["entries"][number] => ({
  at: fromMicros(row.at),
  action: row.action,
  count: row.count,
  name: row.name,
  network: row.network,
  asset_id: row.asset,
  sha256: row.sha256,
});
