/** A wait that ends: its signal fires `ms` after the last sign of life, or together with an outer one. */
export class InactivityTimeout {
  readonly #controller = new AbortController();
  readonly #forward = () => this.#controller.abort(this.outer?.reason);
  #timer: Timer | undefined;

  constructor(
    readonly ms: number,
    readonly outer?: AbortSignal,
  ) {
    if (outer?.aborted) this.#forward();
    outer?.addEventListener("abort", this.#forward);
    this.reset();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** There is life: the wait begins again. */
  reset(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#controller.abort(new Error(`no data for ${this.ms} ms`)), this.ms);
  }

  /** Nothing is waited for now. */
  pause(): void {
    clearTimeout(this.#timer);
  }

  /** For good: what still runs under the signal is cut. */
  close(): void {
    this.pause();
    this.outer?.removeEventListener("abort", this.#forward);
    this.#controller.abort();
  }
}

/**
 * So many at a time, in the order of asking. A turn ends, and so does the wait for one, when the signal
 * fires.
 */
export function semaphore(limit: number): (signal: AbortSignal) => Promise<void> {
  const waiting = new Set<() => void>();
  let held = 0;
  const admitNext = () => {
    const [next] = waiting;
    if (next && held < limit) next();
  };
  return (signal) =>
    new Promise((resolve) => {
      const admit = () => {
        waiting.delete(admit);
        held++;
        resolve();
      };
      const release = () => {
        if (!waiting.delete(admit)) held--;
        resolve();
        admitNext();
      };
      if (signal.aborted) return resolve();
      signal.addEventListener("abort", release, { once: true });
      waiting.add(admit);
      admitNext();
    });
}
