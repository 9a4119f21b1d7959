/** Reads outside a transaction: measured, and shared by calls of one turn of the event loop. */
import type { Reads } from "../../src/api/port.ts";
import { type Meter, type Metrics, measure } from "../../src/core/metrics.ts";
import { Problem } from "../../src/core/problem.ts";

/** Wraps each read: `run` runs it outside a transaction, it is measured, and its errors go to `fail`. */
export function guardReads(
  reads: Reads,
  run: <T>(work: () => Promise<T>, name: string, args: unknown[]) => Promise<T>,
  meter: Meter,
  fail: (error: unknown) => never,
): Reads {
  const guard =
    (name: string, method: (...args: unknown[]) => Promise<unknown>) =>
    (...args: unknown[]) =>
      measure(meter, () => run(() => method(...args), name, args), isFailure).catch(fail);
  // safe because: each method is replaced by one of the same signature
  return Object.fromEntries(
    Object.entries(reads).map(([name, method]) => [name, guard(name, method)]),
  ) as unknown as Reads;
}

/** The metrics of reads or writes. */
export const meterOf = (metrics: Metrics, call: "read" | "write"): Meter => ({
  inFlight: metrics.databaseInFlight.of(call),
  duration: metrics.databaseCalls.of(call),
  errors: metrics.databaseErrors.of(call),
});

/** Whether an error counts as a database failure; a Problem other than 503 rejects the caller's request. */
export const isFailure = (error: unknown): boolean => !(error instanceof Problem) || error.status === 503;

/**
 * Returns a read that calls with the same key share if they come in the same turn of the event loop. It runs
 * after all of them, so no caller gets a state from before its call. A tenth of the CPU of a page on Postgres
 * (`bun run bench feed`).
 */
export function sharedRead<R>(read: (key: string) => Promise<R>): (key: string) => Promise<R> {
  const scheduled = new Map<string, Promise<R>>();
  return (key) => {
    let result = scheduled.get(key);
    if (!result) {
      result = new Promise(setImmediate).then(() => {
        scheduled.delete(key);
        return read(key);
      });
      scheduled.set(key, result);
    }
    return result;
  };
}
