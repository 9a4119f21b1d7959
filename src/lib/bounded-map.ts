/** Removes the oldest entry of a map or set that has more than `max` entries (FIFO eviction). */
export function evictOldest(entries: Map<unknown, unknown> | Set<unknown>, max: number): void {
  if (entries.size > max) entries.delete(entries.keys().next().value);
}
