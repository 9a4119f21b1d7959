/** Delivers what the outbox holds: at least once, marked so that it is there once, never in the way of who wrote it. */
import type { Context } from "../context.ts";
import type { OutboxRow } from "../data.ts";
import { dayMicros, secondMicros } from "../time.ts";

/** The source host, as far as the outbox needs it. Throws what failed; a row that can never be delivered throws `Undeliverable`. */
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
const deadlineMs = 30_000;

/** After one second, doubling to five minutes. */
export const retryAfter = (attempts: number): number => Math.min(lastRetry, firstRetry * 2 ** Math.min(attempts, 20));

/** One round. @returns how many rows were settled */
export async function deliverOutbox(ctx: Context, tasks: Tasks): Promise<number> {
  const { data, log } = ctx;
  let settled = 0;
  for (const row of await data.dueOutbox(ctx.now(), batch)) {
    try {
      await tasks.comment(row, AbortSignal.timeout(deadlineMs));
    } catch (error) {
      const over = error instanceof Undeliverable || ctx.now() - row.created_at > patience;
      log(over ? "error" : "warn", over ? "given up: a comment at the source host" : "a comment at the source host failed", {
        ...{ repo: row.repo, number: row.number, attempts: row.attempts + 1, error: (error as Error).message },
      });
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
