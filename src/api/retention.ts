/** How long rows are kept that only record what happened; files have `SVC_RETENTION_DAYS`. */
import { sessionNoticeDays } from "../core/auth/session/session.ts";
import { dayMicros, type Micros } from "../core/lib/time.ts";
import { runMemoryDays } from "../feed/runs/schema.ts";
import { confirmDays } from "../integrations/email/links.ts";
import { deliveryDays } from "../integrations/webhooks/schema.ts";
import { shareLogDays } from "../library/shares/schema.ts";
import type { Context } from "./context.ts";
import type { Writes } from "./port.ts";

interface Retention {
  days: number;
  /** Deletes rows older than `before`, a bounded number where there can be many. @returns how many */
  trim(writes: Writes, before: Micros): Promise<number>;
}

const batchRows = 1_000;
/** Of the audit log: appends and refused requests, and all other rows, so neither displaces the other. */
const auditRowsMax = 200_000;

/** By the name of the background job. */
export const retentions = {
  "sweep of the audit": { days: 400, trim: (writes, before) => writes.trimAudit(before, auditRowsMax) },
  "sweep of briefs": { days: runMemoryDays, trim: (writes, before) => writes.trimRunMemory(before) },
  "sweep of digests": {
    days: confirmDays,
    trim: (writes, before) => writes.removeUnconfirmedDigests(before),
  },
  "sweep of claims": { days: 1, trim: (writes, before) => writes.trimClaims(before) },
  "session cleanup": {
    days: 0,
    trim: (writes, now) => writes.removeExpiredSessions(now, sessionNoticeDays * dayMicros, batchRows),
  },
  "sweep of share logs": {
    days: shareLogDays,
    trim: (writes, before) => writes.removeShareViews(before, batchRows),
  },
  "sweep of deliveries": { days: deliveryDays, trim: (writes, before) => writes.trimDeliveries(before) },
} as const satisfies Record<string, Retention>;

/** Transactions in one run: others write between them. */
const batchesMax = 50;

/** Deletes what is older than its retention. @returns how many rows */
export async function trimRows({ data, now }: Pick<Context, "data" | "now">, retention: Retention) {
  let removed = 0;
  for (let batch = 0; batch < batchesMax; batch++) {
    const before = now() - retention.days * dayMicros;
    const count = await data.atomically((writes) => retention.trim(writes, before));
    removed += count;
    if (count === 0) break;
  }
  return removed;
}
