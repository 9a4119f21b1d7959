/** Reads lists to as many items as asked for, over their pages. */

interface Page<T> {
  items: T[];
  next_cursor?: string | null;
}

/**
 * The first items of each of these filters, such as the forms of an actor's name.
 * @param readPage is given a filter, `limit` and `cursor`
 */
export async function readItems<T>(
  filters: readonly object[],
  limit: number,
  readPage: (query: object) => Promise<Page<T>>,
): Promise<T[]> {
  const lists = filters.map(async (filter) => {
    const found: T[] = [];
    // With filters a page may hold fewer items than asked for.
    for (let cursor: string | null | undefined; cursor !== null && found.length < limit; ) {
      const page = await readPage({ ...filter, limit: limit - found.length, ...(cursor && { cursor }) });
      found.push(...page.items);
      cursor = page.next_cursor ?? null;
    }
    return found;
  });
  return (await Promise.all(lists)).flat();
}
