/** Waiting for a condition, and for a value to be there. */

/** Returns the value, or throws if it is null or undefined. */
export function must<T>(value: T | null | undefined): T {
  if (value === null || value === undefined) throw new Error("expected a value");
  return value;
}

/**
 * Polls until the condition is true. Tests wait for conditions, not for fixed times. The longer it takes, the
 * longer it sleeps, by a tenth of the time so far: a check of a page or of a database costs a millisecond or
 * more of processor time, which the other test files need.
 */
export async function until(
  condition: () => unknown | Promise<unknown>,
  what: string,
  timeoutMs = 60_000,
): Promise<void> {
  const started = performance.now();
  while (!(await condition())) {
    const waitedMs = performance.now() - started;
    if (waitedMs > timeoutMs) throw new Error(`timed out after ${timeoutMs} ms waiting for: ${what}`);
    await Bun.sleep(Math.min(100, 5 + waitedMs / 10));
  }
}
