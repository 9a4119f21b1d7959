/** Rows that every request asks for, read again only after a commit. */

/** Beyond this many keys all are forgotten: who guesses tokens must not fill the memory. */
const keysMax = 10_000;

/** @param edition null: nothing is remembered */
export function rowCache<V>(
  edition: () => number | null,
  read: (key: string) => Promise<V>,
): (key: string) => Promise<V> {
  const known = new Map<string, V>();
  let at: number | null = null;
  return async (key) => {
    const current = edition();
    if (current === null) return read(key);
    if (current !== at || known.size >= keysMax) known.clear();
    at = current;
    if (known.has(key)) return known.get(key) as V;
    const value = await read(key);
    // Somebody saw a later commit meanwhile: this may be from before it.
    if (at === current) known.set(key, value);
    return value;
  };
}
