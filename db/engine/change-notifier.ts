/** Notifies subscribers that the feed grew: directly for appends of this process, by polling for others. */
export class ChangeNotifier {
  readonly #subscribers = new Set<() => void>();

  notify(): void {
    for (const wake of this.#subscribers) wake();
  }

  /** @returns unsubscribes */
  subscribe(wake: () => void): () => void {
    this.#subscribers.add(wake);
    return () => void this.#subscribers.delete(wake);
  }

  /**
   * Reads the head of the feed every `intervalMs` while there are subscribers, and notifies them when it has
   * changed. @returns stops polling
   */
  poll(readHead: () => Promise<number>, intervalMs: number): () => void {
    let lastHead = -1;
    let isReading = false;
    const timer = setInterval(async () => {
      if (isReading || this.#subscribers.size === 0) return;
      isReading = true;
      // A failed read is ignored: the next poll sees everything appended during an outage.
      const head = await readHead().catch(() => lastHead);
      isReading = false;
      if (head !== lastHead) this.notify();
      lastHead = head;
    }, intervalMs);
    timer.unref();
    return () => clearInterval(timer);
  }
}
