/**
 * Appends that wait for their turn together are made as one: it asks once what is known, and each counter
 * moves once.
 */
import type { AppendResult, Data, Writes } from "../../src/data.ts";
import { Problem } from "../../src/problem.ts";
import type { Appendable } from "../../src/rows.ts";
import { pipeline } from "../query/pipeline.ts";

export interface BatchedWrites extends Writes {
  /** Appends one after the other, and asks along with it for what else is to be written. */
  appendBatches(
    batches: Appendable[][],
    along?: (made: AppendResult[]) => Promise<unknown>,
  ): Promise<AppendResult[]>;
}

interface Waiting {
  events: Appendable[];
  note: Parameters<Data["append"]>[1];
  resolve(made: AppendResult): void;
  reject(error: unknown): void;
}

/** As many as one request may bring. */
const eventsMax = 1_000;

export function batchAppends(
  atomically: <T>(work: (writes: BatchedWrites) => Promise<T>) => Promise<T>,
): Data["append"] {
  const waiting: Waiting[] = [];
  return (events, note) =>
    new Promise((resolve, reject) => {
      waiting.push({ events, note, resolve, reject });
      if (waiting.length === 1) void appendNext();
    });

  async function appendNext(): Promise<void> {
    let taken: Waiting[] | undefined;
    try {
      const made = await atomically((writes) => {
        taken ??= takeNext(); // those who came until its turn; the same ones when it is tried again
        return appendAll(writes, taken);
      });
      for (const [index, one] of (taken ?? []).entries()) one.resolve(made[index] as AppendResult);
    } catch (error) {
      taken ??= waiting.splice(0); // nobody got as far as that
      // What the database refuses may be of one of them.
      const isOfOne = taken.length > 1 && !(error instanceof Problem);
      for (const one of taken)
        if (isOfOne)
          atomically((writes) => appendAll(writes, [one])).then(
            ([made]) => one.resolve(made as AppendResult),
            one.reject,
          );
        else one.reject(error);
    }
  }

  function takeNext(): Waiting[] {
    let count = 0;
    const end = waiting.findIndex(({ events }, index) => (count += events.length) > eventsMax && index > 0);
    const taken = waiting.splice(0, end < 0 ? waiting.length : end);
    if (waiting.length > 0) void appendNext();
    return taken;
  }
}

function appendAll(writes: BatchedWrites, list: Waiting[]): Promise<AppendResult[]> {
  const batches = list.map(({ events }) => events);
  return writes.appendBatches(batches, (made) =>
    pipeline(
      list.flatMap(({ note }, index) => (note ? writes.addAudit(note(made[index] as AppendResult)) : [])),
    ),
  );
}
