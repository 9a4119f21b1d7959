/**
 * Transactional outbox: delivers comments to forges in the background, at least once. Each comment has a
 * marker, so that a retry does not post it twice. A process claims a row before it delivers it, so that only
 * one does; the claim expires, because the process may die.
 */
import { forges } from "../../core/forges/schema.ts";
import { dayMicros, type Micros, secondMicros } from "../../core/lib/time.ts";
import type { OutboxRow } from "../../library/rows.ts";
import type { IntegrationsContext } from "../context.ts";
import { PermanentError } from "../forges/forge.ts";
import { postComment } from "./post-comment.ts";

const retryMin = 1 * secondMicros;
const retryMax = 300 * secondMicros;
const giveUpAfter = 3 * dayMicros;
const batchMax = 20;
/** Timeout of one attempt. */
const attemptTimeoutMs = 30_000;

/** Exponential backoff: one second, doubling up to five minutes. */
const retryDelay = (attempts: number): Micros =>
  Math.min(retryMax, retryMin * 2 ** Math.min(attempts - 1, 20));

/** Delivers the due rows of one round. @returns how many were delivered or given up */
export async function deliverOutbox(
  ctx: IntegrationsContext,
  deadlineMs = attemptTimeoutMs,
): Promise<number> {
  const { data, log } = ctx;
  let settled = 0;
  for (let left = batchMax; left > 0; left--) {
    const row = await claim(ctx, deadlineMs);
    if (!row) break;
    try {
      await postComment(ctx.config, row, AbortSignal.timeout(deadlineMs));
    } catch (error) {
      const isGivenUp = error instanceof PermanentError || ctx.now() - row.created_at > giveUpAfter;
      log(
        isGivenUp ? "error" : "warn",
        `${forges[row.forge].label} comment failed, ${isGivenUp ? "giving up" : "will retry"}`,
        {
          repo: row.repo,
          number: row.number,
          attempts: row.attempts,
          error: (error as Error).message,
        },
      );
      if (!isGivenUp) {
        await data.atomically((writes) => writes.delayOutbox(row.id, ctx.now() + retryDelay(row.attempts)));
        continue;
      }
    }
    await data.atomically((writes) => writes.removeOutbox(row.id));
    settled++;
  }
  return settled;
}

async function claim({ data, now }: IntegrationsContext, deadlineMs: number): Promise<OutboxRow | null> {
  // Check first: claiming takes the lock that all writers share.
  if ((await data.dueOutbox(now(), 1)).length === 0) return null;
  return data.atomically((writes) => writes.claimOutbox(now(), now() + 2 * deadlineMs * 1000));
}
