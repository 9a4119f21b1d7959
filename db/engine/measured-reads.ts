/** Reads outside a transaction, measured. */
import type { Reads } from "../../src/api/port.ts";
import { type Meter, type Metrics, measure } from "../../src/core/metrics.ts";
import { Problem } from "../../src/core/problem.ts";

/** Wraps each read: runs it outside a transaction, measures it, and passes its errors to `fail`. */
export function guardReads(
  reads: Reads,
  outside: <T>(work: () => Promise<T>) => Promise<T>,
  meter: Meter,
  fail: (error: unknown) => never,
): Reads {
  const guard =
    (method: (...args: unknown[]) => Promise<unknown>) =>
    (...args: unknown[]) =>
      measure(meter, () => outside(() => method(...args)), isFailure).catch(fail);
  // safe because: each method is replaced by one of the same signature
  return Object.fromEntries(
    Object.entries(reads).map(([name, method]) => [name, guard(method)]),
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
