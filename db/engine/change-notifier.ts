/** Tells listeners that the feed grew: at once for this process, by looking for others. */
export class ChangeNotifier {
  readonly #listeners = new Set<() => void>();

  notify(): void {
    for (const wake of this.#listeners) wake();
  }

  subscribe(wake: () => void): () => void {
    this.#listeners.add(wake);
    return () => void this.#listeners.delete(wake);
  }

  /**
   * Looks every `everyMs` while anybody listens, and rings when what it sees has changed. @returns stops
   * looking
   */
  poll(look: () => Promise<number>, everyMs: number): () => void {
    let seen = -1;
    let looking = false;
    const timer = setInterval(async () => {
      if (looking || this.#listeners.size === 0) return;
      looking = true;
      // A database that is away for a while is nobody's fault here: the next look sees what came meanwhile.
      const now = await look().catch(() => seen);
      looking = false;
      if (now !== seen) this.notify();
      seen = now;
    }, everyMs);
    timer.unref();
    return () => clearInterval(timer);
  }
}
