/**
 * The result of work that cannot be aborted itself; its own end is not awaited after an abort. Each race of
 * promises stays reachable, with its result, from those of them that are never settled: a promise of what may
 * never happen must not be raced again and again. A signal forgets who no longer waits.
 *
 * @throws the reason of the signal
 */
export function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener("abort", abort, { once: true });
  return Promise.race([work, promise]).finally(() => signal.removeEventListener("abort", abort));
}

/** The same, or null after an abort. */
export const unlessAborted = <T>(work: Promise<T>, signal: AbortSignal): Promise<T | null> =>
  untilAborted(work, signal).catch((error) => {
    if (signal.aborted) return null;
    throw error;
  });
