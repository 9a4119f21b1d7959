/** Runs work once per key: concurrent callers share it, and each waits only so long for its result. */
export class SharedWork<T> {
  readonly #running = new Map<string, Promise<T>>();

  /** @param waitMs after which a caller gets no result; the work continues */
  constructor(public waitMs: number) {}

  /** @returns the result of the work, or "running" if it takes longer */
  async run(key: string, work: () => Promise<T>): Promise<T | "running"> {
    const running = this.#running.get(key) ?? this.#start(key, work);
    const { promise: late, resolve } = Promise.withResolvers<"running">();
    const timer = setTimeout(() => resolve("running"), this.waitMs);
    return Promise.race([running, late]).finally(() => clearTimeout(timer));
  }

  #start(key: string, work: () => Promise<T>): Promise<T> {
    const running = work().finally(() => this.#running.delete(key));
    this.#running.set(key, running);
    running.catch(() => {}); // every waiter may have left
    return running;
  }
}
