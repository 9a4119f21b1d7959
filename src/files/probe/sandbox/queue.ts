/**
 * A queue with a concurrency limit, fair between owners: a free slot goes to the owner with the fewest
 * running jobs, and owners whose jobs take long leave one slot to the others. A job that waits longer than
 * `waitMs` rejects with a Problem 503.
 */
import { unavailable } from "../../../core/problem.ts";

interface WaitingJob {
  owner: string;
  start(): void;
}

export class Queue {
  /** In order of arrival. */
  readonly #waiting: WaitingJob[] = [];
  /** Owners of the running jobs. */
  readonly #running: string[] = [];
  /** Owners whose last job took longer than `slowMs`. */
  readonly #slow = new Set<string>();

  constructor(
    readonly slots: number,
    readonly waitMs: number,
    readonly slowMs: number,
  ) {}

  get running(): number {
    return this.#running.length;
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  /** @param owner who caused the job; jobs without one share a place in the queue */
  async run<T>(owner: string | undefined, work: () => Promise<T>): Promise<T> {
    const name = owner ?? "";
    await this.#waitForSlot(name);
    const startedAt = performance.now();
    try {
      return await work();
    } finally {
      this.#slow.delete(name);
      if (performance.now() - startedAt > this.slowMs) this.#slow.add(name);
      this.#running.splice(this.#running.indexOf(name), 1);
      this.#startNext();
    }
  }

  #startNext(): void {
    for (let next = this.#next(); next; next = this.#next()) {
      this.#waiting.splice(this.#waiting.indexOf(next), 1);
      this.#running.push(next.owner);
      next.start();
    }
  }

  /** The job to start now, if there is one. */
  #next(): WaitingJob | undefined {
    if (this.#running.length >= this.slots) return undefined;
    const slowCount = this.#running.filter((owner) => this.#slow.has(owner)).length;
    const isSlowFull = slowCount >= Math.max(1, this.slots - 1);
    const startable = this.#waiting.filter(({ owner }) => !isSlowFull || !this.#slow.has(owner));
    const runningOf = ({ owner }: WaitingJob) => this.#running.filter((one) => one === owner).length;
    return startable.toSorted((a, b) => runningOf(a) - runningOf(b))[0];
  }

  #waitForSlot(owner: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const job: WaitingJob = {
        owner,
        start() {
          clearTimeout(timer);
          resolve();
        },
      };
      const timer = setTimeout(() => {
        this.#waiting.splice(this.#waiting.indexOf(job), 1);
        reject(unavailable("Too many uploads are being processed. Try again in a moment."));
      }, this.waitMs);
      this.#waiting.push(job);
      this.#startNext();
    });
  }
}
