/** The part of an asset on the wire that its row determines. */
import { fromMicros } from "../../core/lib/time.ts";
import type { AssetRow } from "../rows.ts";

/** Returns an asset without its signed URLs, which expire and are signed again. */
export function assetFields({
  root_id: _,
  key: __,
  has_thumb: ___,
  bundle_index: ____,
  uploader: _____,
  filename: ______,
  ...fields
}: AssetRow) {
  const toTime = (at: number | null) => (at === null ? null : fromMicros(at));
  return {
    ...fields,
    created_at: fromMicros(fields.created_at),
    reviewed_at: toTime(fields.reviewed_at),
    expires_at: toTime(fields.expires_at),
  };
}

/** Renders an asset as JSON without its signed URLs; the text is stored with the row. */
export const renderAsset = (row: AssetRow): string => JSON.stringify(assetFields(row));
