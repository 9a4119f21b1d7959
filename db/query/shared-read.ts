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
