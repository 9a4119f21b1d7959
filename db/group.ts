/** Transactions of one connection, committed together: a commit waits for the disk, however much is in it. */
import type { Database } from "bun:sqlite";
import type { Mutex } from "./mutex.ts";

interface Waiting {
  work(): Promise<unknown>;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

/** So many are committed at once: the first of them waits for the last. */
const groupMax = 100;

export class Group {
  #waiting: Waiting[] = [];
  #called = false;
  readonly #savepoint: () => void;
  readonly #release: () => void;

  /** @param begin takes the write lock */
  constructor(
    readonly writer: Database,
    readonly mutex: Mutex,
    readonly begin: () => Promise<void>,
  ) {
    const [savepoint, release] = [writer.prepare("savepoint part"), writer.prepare("release part")];
    this.#savepoint = () => savepoint.run();
    this.#release = () => release.run();
  }

  /** All of `work` is kept, or, when it throws, nothing of it; the others in its group do not notice. */
  transaction<T>(work: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ work, resolve: resolve as Waiting["resolve"], reject });
      this.#call();
    });
  }

  #call(): void {
    if (this.#called || this.#waiting.length === 0) return;
    this.#called = true;
    void this.mutex.run(async () => {
      // Requests that came in while the last group was committed are about to ask: they are part of this one.
      await new Promise(setImmediate);
      try {
        await this.#commitTogether();
      } finally {
        this.#called = false;
        this.#call();
      }
    });
  }

  async #commitTogether(): Promise<void> {
    const done: (() => void)[] = [];
    const taken: Waiting[] = [];
    try {
      await this.begin();
      for (let one = this.#waiting.shift(); one; one = taken.length < groupMax ? this.#waiting.shift() : undefined) {
        taken.push(one);
        if (!this.writer.inTransaction) await this.begin(); // whoever was alone in it took it along
        const resolve = await (done.length === 0 ? this.#alone(one) : this.#part(one));
        if (resolve) done.push(resolve);
      }
      if (this.writer.inTransaction) this.writer.exec("commit");
    } catch (error) {
      // Without the lock nobody gets any further, so those who wait need not wait as long again.
      for (const one of taken.length > 0 ? taken : this.#waiting.splice(0)) one.reject(error);
      if (this.writer.inTransaction) this.writer.exec("rollback");
      return;
    }
    for (const resolve of done) resolve();
  }

  /** Nobody's work is in the transaction yet, so it needs no savepoint: that would cost a copy of every page that it changes. */
  async #alone({ work, resolve, reject }: Waiting): Promise<(() => void) | null> {
    try {
      const value = await work();
      return () => resolve(value);
    } catch (error) {
      if (this.writer.inTransaction) this.writer.exec("rollback");
      reject(error);
      return null;
    }
  }

  async #part({ work, resolve, reject }: Waiting): Promise<(() => void) | null> {
    this.#savepoint();
    try {
      const value = await work();
      this.#release();
      return () => resolve(value);
    } catch (error) {
      // A disk that is full, or fails, has undone the parts of the others as well.
      if (!this.writer.inTransaction) throw error;
      this.writer.exec("rollback to part");
      this.#release();
      reject(error);
      return null;
    }
  }
}
