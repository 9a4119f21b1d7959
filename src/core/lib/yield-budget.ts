/**
 * Yields to the event loop after every `bytesMax` bytes. A loop over data that is already in memory never
 * waits for I/O, and would block other requests.
 */
export class YieldBudget {
  #bytes = 0;
  constructor(readonly bytesMax: number) {}

  /**
   * Counts processed bytes. Resolves immediately, or after other events had a turn if the budget is spent.
   */
  async spend(bytes: number): Promise<void> {
    this.#bytes += bytes;
    if (this.#bytes < this.bytesMax) return;
    this.#bytes = 0;
    await new Promise((resolve) => setImmediate(resolve));
  }
}
