/**
 * Append batching: appends that queue up while a transaction is running are written by the next one together.
 * A batch looks up existing rows once and updates each counter once.
 */

import type { Data, Writes } from "../../src/api/port.ts";
import { Problem } from "../../src/core/problem.ts";
import type { NewAudit } from "../../src/core/rows.ts";
import type { AppendResult } from "../../src/feed/port.ts";
import type { Appendable } from "../../src/feed/rows.ts";

export interface BatchedWrites extends Writes {
  /**
   * Appends several batches in order, each with its own result. `along` gets the results and adds further
   * statements to the same pipeline.
   */
  appendBatches(
    batches: Appendable[][],
    along?: (results: AppendResult[]) => Promise<unknown>,
  ): Promise<AppendResult[]>;
  /** Adds audit rows, which have no slot. */
  addAuditRows(rows: readonly NewAudit[]): Promise<unknown>;
}

type Note = Parameters<Data["append"]>[1];

interface QueuedAppend {
  events: Appendable[];
  note: Note;
  resolve(result: AppendResult): void;
  reject(error: unknown): void;
}

/**
 * Returns an `append` that batches concurrent calls; each call succeeds or fails on its own.
 * @param eventsMax the most events in one batch; a single append may still exceed it
 */
export function batchAppends(
  atomically: <T>(work: (writes: BatchedWrites) => Promise<T>) => Promise<T>,
  eventsMax: number,
): Data["append"] {
  const queue: QueuedAppend[] = [];
  return (events, note) =>
    new Promise((resolve, reject) => {
      queue.push({ events, note, resolve, reject });
      if (queue.length === 1) void appendNext();
    });

  async function appendNext(): Promise<void> {
    let batch: QueuedAppend[] | undefined;
    // Filled as late as possible, when the transaction starts; a retry writes the same batch.
    const take = () => (batch ??= takeBatch());
    try {
      const results = await atomically((writes) => appendAll(writes, take()));
      for (const [index, append] of (batch ?? []).entries()) append.resolve(results[index] as AppendResult);
    } catch (error) {
      batch ??= queue.splice(0); // the transaction never started
      // A database error may be caused by a single append, so each is retried in a transaction of its own.
      const canRetryEach = batch.length > 1 && !(error instanceof Problem);
      for (const append of batch)
        if (canRetryEach)
          atomically((writes) => appendAll(writes, [append])).then(
            ([result]) => append.resolve(result as AppendResult),
            append.reject,
          );
        else append.reject(error);
    }
  }

  function takeBatch(): QueuedAppend[] {
    let count = 0;
    const end = queue.findIndex(({ events }, index) => (count += events.length) > eventsMax && index > 0);
    const batch = queue.splice(0, end < 0 ? queue.length : end);
    if (queue.length > 0) void appendNext();
    return batch;
  }
}

function appendAll(writes: BatchedWrites, batch: QueuedAppend[]): Promise<AppendResult[]> {
  return writes.appendBatches(
    batch.map(({ events }) => events),
    (results) =>
      writes.addAuditRows(
        batch.flatMap(({ note }, index) => (note ? [note(results[index] as AppendResult)] : [])),
      ),
  );
}
