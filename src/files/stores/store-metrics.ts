/** Metrics of a store: duration, failures and bytes transferred by each call. */
import { type Metrics, measure } from "../../core/metrics.ts";
import { Problem } from "../../core/problem.ts";
import type { Store, StoredObject } from "./store.ts";

type Call = "put" | "copy" | "get" | "stat" | "delete" | "sweep";

/** The store, counting its calls, errors, and their duration. */
export function storeWithMetrics<S extends Store | null>(
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
      if (outcome !== "exists") written.add(outcome.size);
      return outcome;
    },
    copy: (from, to, options) => timed("copy", () => store.copy(from, to, options)),
    join: (sources, to, options) => timed("copy", () => store.join(sources, to, options)),
    async get(key, range) {
      const stored = await timed("get", () => store.get(key, range));
      if (stored) read.add(lengthOf(stored, range));
      return stored;
    },
    ...(store.readNow && {
      readNow(key, range) {
        const bytes = store.readNow?.(key, range);
        if (bytes) read.add(bytes.length);
        return bytes;
      },
    }),
    stat: (key) => timed("stat", () => store.stat(key)),
    delete: (key) => timed("delete", () => store.delete(key)),
    deleteLeftovers: (before, isInUse) => timed("sweep", () => store.deleteLeftovers(before, isInUse)),
  };
}

/** Counts the bytes requested: the reader may stop early. */
const lengthOf = ({ size }: StoredObject, range?: { start: number; end: number }): number =>
  range ? Math.max(0, Math.min(range.end, size) - range.start) : size;

/**
 * A 4xx, such as an invalid key or a file that is too large, is the caller's error, not a failure of the
 * store.
 */
const isFailure = (error: unknown): boolean => !(error instanceof Problem) || error.status === 503;
