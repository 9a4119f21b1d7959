/** A cache of rows that every request reads, valid until the next commit of any process. */

/** With more keys the cache is cleared: guessed tokens must not fill the memory. */
const keysMax = 10_000;

/** @param dataVersion changes with each commit; null: every call reads */
export function rowCache<V>(
  dataVersion: () => number | null,
  read: (key: string) => Promise<V>,
): (key: string) => Promise<V> {
  const cache = new Map<string, V>();
  let cachedVersion: number | null = null;
  return async (key) => {
    const version = dataVersion();
    if (version === null) return read(key);
    if (version !== cachedVersion || cache.size >= keysMax) cache.clear();
    cachedVersion = version;
    if (cache.has(key)) return cache.get(key) as V;
    const value = await read(key);
    // A concurrent call may have seen a later commit, and this value may be from before it.
    if (cachedVersion === version) cache.set(key, value);
    return value;
  };
}
