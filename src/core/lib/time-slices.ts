/** Shares the event loop: work that takes long goes on in parts, and all others have a turn between two. */

const sliceMs = 10;

/** The start of the slice that was asked for last. One of all the work in progress runs in each turn. */
let last: Promise<void> = Promise.resolve();

export class TimeSlices {
  #end = performance.now() + sliceMs;

  get isOver(): boolean {
    return performance.now() >= this.#end;
  }

  /** Waits for the next slice. */
  async next(): Promise<void> {
    last = last.then(() => new Promise((resolve) => setImmediate(resolve)));
    await last;
    this.#end = performance.now() + sliceMs;
  }
}

/** Runs a generator to its end. Each of its steps takes some milliseconds at most. */
export async function inSlices<T>(steps: Iterator<unknown, T>): Promise<T> {
  const slices = new TimeSlices();
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    if (slices.isOver) await slices.next();
  }
}

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
