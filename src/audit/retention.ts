/** How long the audit goes back. */
import type { Context } from "../context.ts";
import { dayMicros } from "../lib/time.ts";

const keptDays = 400;
/**
 * Rows of requests that appended or were refused, and as many of all others: those must not be crowded out.
 */
const rowsMax = 200_000;

/** Removes what is too old or too much, a little at a time. @returns how many rows */
export async function trimAudit({ data, now }: Pick<Context, "data" | "now">): Promise<number> {
  for (let removed = 0; ; ) {
    const some = await data.atomically((writes) => writes.trimAudit(now() - keptDays * dayMicros, rowsMax));
    removed += some;
    if (some === 0) return removed;
  }
}
