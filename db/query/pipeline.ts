type Results<T> = { -readonly [K in keyof T]: Awaited<T[K]> };

/**
 * Runs statements that do not depend on each other's results; Postgres gets them in one pipeline. When one
 * fails it rejects with that error, but only after the others have settled, so that none runs after a
 * rollback.
 */
export async function pipeline<const T extends readonly Promise<unknown>[]>(
  statements: T,
): Promise<Results<T>> {
  if (statements.length < 2) return (await Promise.all(statements)) as Results<T>;
  // On SQLite drizzle returns a thenable that runs the query again each time it is awaited.
  const running = statements.map((statement) => Promise.resolve(statement));
  try {
    return (await Promise.all(running)) as Results<T>;
  } catch (error) {
    await Promise.allSettled(running);
    throw error;
  }
}
