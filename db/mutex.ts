/** Work that fails sooner did not wait. */
const waitMs = 1_000;

/** One at a time, in the order of asking. */
export class Mutex {
  #last: Promise<unknown> = Promise.resolve();
  #inVain: { at: number; error: unknown } | undefined;

  run<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(work);
    this.#last = turn.catch(() => {});
    return turn;
  }

  /**
   * The same for work that may wait for somebody else, a lock or a database: when one waited in vain, those who stood
   * behind it meanwhile fail with it, and do not wait as long again, one after the other.
   */
  runOrGiveUp<T>(work: () => Promise<T>, wasInVain: (error: unknown) => boolean): Promise<T> {
    const askedAt = performance.now();
    return this.run(async () => {
      if (this.#inVain && this.#inVain.at > askedAt) throw this.#inVain.error;
      const begunAt = performance.now();
      try {
        return await work();
      } catch (error) {
        if (performance.now() - begunAt > waitMs && wasInVain(error)) this.#inVain = { at: performance.now(), error };
        throw error;
      }
    });
  }
}
