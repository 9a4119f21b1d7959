/** Shares the event loop: work that takes long goes on in slices, and all others have a turn between two. */

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
