/** A store whose calls are counted: how long they take, which fail by the store, how many bytes they move. */
import { type Metrics, measure } from "../metrics.ts";
import { Problem } from "../problem.ts";
import type { Store, Stored } from "./store.ts";

type Call = "put" | "copy" | "get" | "stat" | "delete" | "sweep";

export function measuredStore<S extends Store | null>(
  store: S,
  name: "private" | "public",
  metrics: Metrics,
): S {
  if (!store) return store;
  const read = metrics.storeBytes.of(name, "read");
  const written = metrics.storeBytes.of(name, "written");
  const meters = Object.fromEntries(
    (["put", "copy", "get", "stat", "delete", "sweep"] satisfies Call[]).map((call) => [
      call,
      { duration: metrics.storeCalls.of(name, call), errors: metrics.storeErrors.of(name, call) },
    ]),
  ) as Record<
    Call,
    { duration: ReturnType<Metrics["storeCalls"]["of"]>; errors: ReturnType<Metrics["storeErrors"]["of"]> }
  >;
  const timed = <T>(call: Call, work: () => Promise<T>): Promise<T> => measure(meters[call], work, isFailure);
  return {
    ...store,
    async put(key, source, options) {
      const outcome = await timed("put", () => store.put(key, source, options));
      if (outcome !== "taken") written.add(outcome.size);
      return outcome;
    },
    copy: (from, to, options) => timed("copy", () => store.copy(from, to, options)),
    async get(key, range) {
      const stored = await timed("get", () => store.get(key, range));
      if (stored) read.add(lengthOf(stored, range));
      return stored;
    },
    stat: (key) => timed("stat", () => store.stat(key)),
    delete: (key) => timed("delete", () => store.delete(key)),
    sweep: (before) => timed("sweep", () => store.sweep(before)),
  };
}

/** What was asked for: who asks may stop reading before its end. */
const lengthOf = ({ size }: Stored, range?: { start: number; end: number }): number =>
  range ? Math.max(0, Math.min(range.end, size) - range.start) : size;

/**
 * A key outside of the grammar, too large a file: those are refusals of the caller, not failures of the
 * store.
 */
const isFailure = (error: unknown): boolean => !(error instanceof Problem) || error.status === 503;
