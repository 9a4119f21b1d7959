/** A wait that ends: its signal fires `ms` after the last sign of life, or together with an outer one. */
export class Watch {
  readonly #controller = new AbortController();
  readonly #forward = () => this.#controller.abort(this.outer?.reason);
  #timer: Timer | undefined;

  constructor(
    readonly ms: number,
    readonly outer?: AbortSignal,
  ) {
    if (outer?.aborted) this.#forward();
    outer?.addEventListener("abort", this.#forward);
    this.touch();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** There is life: the wait begins again. */
  touch(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#controller.abort(new Error(`no data for ${this.ms} ms`)), this.ms);
  }

  /** Nothing is waited for now. */
  rest(): void {
    clearTimeout(this.#timer);
  }

  /** For good: what still runs under the signal is cut. */
  end(): void {
    this.rest();
    this.outer?.removeEventListener("abort", this.#forward);
    this.#controller.abort();
  }
}

/**
 * So many at a time, in the order of asking. A turn ends, and so does the wait for one, when the signal
 * fires.
 */
export function turns(atOnce: number): (signal: AbortSignal) => Promise<void> {
  const waiting = new Set<() => void>();
  let taken = 0;
  const begin = () => {
    const [next] = waiting;
    if (next && taken < atOnce) next();
  };
  return (signal) =>
    new Promise((resolve) => {
      const start = () => {
        waiting.delete(start);
        taken++;
        resolve();
      };
      const end = () => {
        if (!waiting.delete(start)) taken--;
        resolve();
        begin();
      };
      if (signal.aborted) return resolve();
      signal.addEventListener("abort", end, { once: true });
      waiting.add(start);
      begin();
    });
}
