/** Waiting for a condition, and for a value to be there. */

/** Returns the value, or throws if it is null or undefined. */
export function must<T>(value: T | null | undefined): T {
  if (value === null || value === undefined) throw new Error("expected a value");
  return value;
}

/** Polls until the condition is true. Tests wait for conditions, not for fixed times. */
export async function until(
  condition: () => unknown | Promise<unknown>,
  what: string,
  timeoutMs = 60_000,
): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`timed out after ${timeoutMs} ms waiting for: ${what}`);
    await Bun.sleep(5);
  }
}
