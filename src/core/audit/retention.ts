/** Retention of the audit log. */
import type { CoreContext } from "../context.ts";
import { dayMicros } from "../lib/time.ts";

const retentionDays = 400;
/**
 * Maximum number of rows of appends and refused requests, and of all other rows, so neither displaces the
 * other.
 */
const rowsMax = 200_000;

/** Removes old and excess rows in batches. @returns the number of removed rows */
export async function trimAudit({ data, now }: Pick<CoreContext, "data" | "now">): Promise<number> {
  for (let removed = 0; ; ) {
    const count = await data.atomically((writes) =>
      writes.trimAudit(now() - retentionDays * dayMicros, rowsMax),
    );
    removed += count;
    if (count === 0) return removed;
  }
}
