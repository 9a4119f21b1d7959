/** Deletes deliveries that are older than 30 days. */

import { dayMicros } from "../../../core/lib/time.ts";
import type { IntegrationsContext } from "../../context.ts";

const retention = 30 * dayMicros;
/** Transactions in one run: each deletes a bounded number, and others write between them. */
const batchesMax = 50;

/** @returns how many were deleted */
export async function trimDeliveries({
  data,
  now,
}: Pick<IntegrationsContext, "data" | "now">): Promise<number> {
  let removed = 0;
  for (let batch = 0; batch < batchesMax; batch++) {
    const count = await data.atomically((writes) => writes.trimDeliveries(now() - retention));
    removed += count;
    if (count === 0) break;
  }
  return removed;
}
