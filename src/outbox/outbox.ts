/**
 * Delivers what the outbox holds: at least once, marked so that it is there once, never in the way of who
 * wrote it. A row is claimed before it is delivered, so that of several processes one does it, and claimed
 * for a while only, since it may die.
 */
import type { Context } from "../context.ts";
import { dayMicros, type Micros, secondMicros } from "../lib/time.ts";
import type { OutboxRow } from "../rows.ts";

/**
 * The source host, as far as the outbox needs it. Throws what failed; a row that can never be delivered
 * throws `Undeliverable`.
 */
export interface Tasks {
  /** Comments once for each marker, and reopens the task. */
  comment(row: Pick<OutboxRow, "repo" | "number" | "body" | "marker">, signal: AbortSignal): Promise<void>;
}

export class Undeliverable extends Error {
  override name = "Undeliverable";
}

const firstRetry = 1 * secondMicros;
const lastRetry = 300 * secondMicros;
const patience = 3 * dayMicros;
const batch = 20;
/** One try. */
const tryMs = 30_000;

/** After one second, doubling to five minutes. */
const retryAfter = (attempts: number): Micros =>
  Math.min(lastRetry, firstRetry * 2 ** Math.min(attempts - 1, 20));

/** One round. @returns how many rows were settled */
export async function deliverOutbox(ctx: Context, tasks: Tasks, deadlineMs = tryMs): Promise<number> {
  const { data, log } = ctx;
  let settled = 0;
  for (let left = batch; left > 0; left--) {
    const row = await claim(ctx, deadlineMs);
    if (!row) break;
    try {
      await tasks.comment(row, AbortSignal.timeout(deadlineMs));
    } catch (error) {
      const over = error instanceof Undeliverable || ctx.now() - row.created_at > patience;
      log(
        over ? "error" : "warn",
        over ? "given up: a comment at the source host" : "a comment at the source host failed",
        {
          ...{ repo: row.repo, number: row.number, attempts: row.attempts, error: (error as Error).message },
        },
      );
      if (!over) {
        await data.atomically((writes) => writes.delayOutbox(row.id, ctx.now() + retryAfter(row.attempts)));
        continue;
      }
    }
    await data.atomically((writes) => writes.removeOutbox(row.id));
    settled++;
  }
  return settled;
}

async function claim({ data, now }: Context, deadlineMs: number): Promise<OutboxRow | null> {
  // the lock of all writers is not taken for nothing
  if ((await data.dueOutbox(now(), 1)).length === 0) return null;
  return data.atomically((writes) => writes.claimOutbox(now(), now() + 2 * deadlineMs * 1000));
}
