/** A removal on the wire. */
import { fromMicros } from "../../core/lib/time.ts";
import type { RemovalRow } from "./rows.ts";
import type { Removal } from "./schema.ts";

export const toRemoval = ({ kind, removed_by, removed_at, reason, finished_at }: RemovalRow): Removal => ({
  kind,
  removed_by,
  removed_at: fromMicros(removed_at),
  reason,
  finished_at: finished_at === null ? null : fromMicros(finished_at),
});
