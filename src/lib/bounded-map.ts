/** Forgets what went into a list first, where it holds more than so many. */
export function evictOldest(list: Map<unknown, unknown> | Set<unknown>, max: number): void {
  if (list.size > max) list.delete(list.keys().next().value);
}
