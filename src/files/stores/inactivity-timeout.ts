/** An inactivity timeout: its signal aborts `ms` after the last `reset`, or when the outer signal does. */
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

  /** Restarts the timer: there was activity. */
  reset(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#controller.abort(new Error(`no data for ${this.ms} ms`)), this.ms);
  }

  /** Stops the timer until the next `reset`. */
  pause(): void {
    clearTimeout(this.#timer);
  }

  /** Ends the timeout and aborts whatever still uses its signal. */
  close(): void {
    this.pause();
    this.outer?.removeEventListener("abort", this.#forward);
    this.#controller.abort();
  }
}

/**
 * A FIFO semaphore with `limit` permits. A permit is released, and a wait for one ends, when the caller's
 * signal aborts.
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
