/**
 * A FIFO queue with a concurrency limit. A job that waits longer than `waitMs` rejects with a Problem 503.
 */
import { unavailable } from "../../problem.ts";

export class Queue {
  readonly #waiting: (() => void)[] = [];
  #free: number;

  constructor(
    readonly slots: number,
    readonly waitMs: number,
  ) {
    this.#free = slots;
  }

  get running(): number {
    return this.slots - this.#free;
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free--;
    else await this.#waitForSlot();
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free++;
    }
  }

  #waitForSlot(): Promise<void> {
    return new Promise((resolve, reject) => {
      const start = () => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        this.#waiting.splice(this.#waiting.indexOf(start), 1);
        reject(unavailable("Too many uploads are being processed. Try again in a moment."));
      }, this.waitMs);
      this.#waiting.push(start);
    });
  }
}
