/** A removal on the wire. */
import { fromMicros } from "../../core/lib/time.ts";
import type { RemovalRow } from "./rows.ts";
import type { Removal } from "./schema.ts";

export const toRemoval = ({ removed_at, finished_at, detail: _, ...removal }: RemovalRow): Removal => ({
  ...removal,
  removed_at: fromMicros(removed_at),
  finished_at: finished_at === null ? null : fromMicros(finished_at),
});
