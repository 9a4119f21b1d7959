/**
 * Work that always finds its next bytes here already never waits, and so keeps the process to itself: whoever
 * goes through many of them gives others their turn now and then.
 */
export class YieldBudget {
  #bytes = 0;
  constructor(readonly bytesMax: number) {}

  /** Resolves at once, or, after so many bytes, when others had their turn. */
  async spend(bytes: number): Promise<void> {
    this.#bytes += bytes;
    if (this.#bytes < this.bytesMax) return;
    this.#bytes = 0;
    await new Promise((resolve) => setImmediate(resolve));
  }
}
