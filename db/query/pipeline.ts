type Answers<T> = { -readonly [K in keyof T]: Awaited<T[K]> };

/**
 * Waits for statements that do not need each other's answers: on Postgres they travel together. When one
 * fails, it fails with that one, and only once none of the others is under way, so that nothing is asked
 * behind the undoing.
 */
export async function pipeline<const T extends readonly Promise<unknown>[]>(asked: T): Promise<Answers<T>> {
  // What drizzle gives on SQLite asks anew each time that it is waited for.
  const underWay = asked.map((one) => Promise.resolve(one));
  try {
    return (await Promise.all(underWay)) as Answers<T>;
  } finally {
    await Promise.allSettled(underWay);
  }
}
