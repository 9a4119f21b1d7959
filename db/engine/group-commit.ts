/** Transactions of one connection, committed together: a commit waits for the disk, however much is in it. */
import { isLockTimeout, isRetryable, isUnreachable } from "./errors.ts";
import { clearCaches, type Session } from "./session.ts";

/** The one connection of a process that writes. */
export interface Writer {
  /** Runs a group; when it fails, nothing of it is left. */
  exclusively(work: () => Promise<void>): Promise<void>;
  /** Takes the lock of all writers. */
  begin(): Promise<Transaction>;
}

/** What is asked of it happens in the order of asking. Where its connection is gone, all of it fails. */
export interface Transaction {
  readonly session: Session;
  commit(): Promise<void>;
  rollback(): Promise<void>;
  savepoint(): Promise<void>;
  release(): Promise<void>;
  /** Undoes what was done since the savepoint, and fails where `error` undid all of the transaction. */
  rollbackToSavepoint(error: unknown): Promise<void>;
}

interface Waiting {
  work(session: Session): Promise<unknown>;
  /** How often it may be tried again. */
  retries: number;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

/**
 * So many are committed at once: the first of them waits for the last, and Postgres has no more savepoints at
 * hand.
 */
const groupMax = 64;
/** A group takes nobody else after so long: other processes wait for the lock. */
const groupMs = 250;
const retries = 5;
/** Who failed sooner did not wait. */
const waitMs = 1_000;

export class GroupCommit {
  #waiting: Waiting[] = [];
  #isBusy = false;

  constructor(readonly writer: Writer) {}

  /**
   * All of `work` is kept, or, when it throws, nothing of it; the others in its group do not notice. It may
   * be called again.
   */
  transaction<T>(work: (session: Session) => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ work, retries, resolve: resolve as Waiting["resolve"], reject });
      void this.#commit();
    });
  }

  async #commit(): Promise<void> {
    if (this.#isBusy) return;
    this.#isBusy = true;
    while (this.#waiting.length > 0) await this.#commitTogether();
    this.#isBusy = false;
  }

  async #commitTogether(): Promise<void> {
    const begunAt = performance.now();
    const parts = new Parts(this.writer, this.#waiting);
    try {
      await this.writer.exclusively(() => parts.commit());
      for (const tell of parts.done) tell();
    } catch (error) {
      const lost = parts.leave();
      // Without the lock or the database nobody gets any further, so those who wait need not wait as long
      // again.
      const inVain = performance.now() - begunAt > waitMs && (isLockTimeout(error) || isUnreachable(error));
      if (lost.length === 0 || inVain) lost.push(...this.#waiting.splice(0));
      for (const one of lost) fail(one, error, this.#waiting);
    }
  }
}

/** What the same work may not meet again costs nobody more than time. */
function fail(one: Waiting, error: unknown, waiting: Waiting[]): void {
  if (isRetryable(error) && one.retries-- > 0) waiting.unshift(one);
  else one.reject(error);
}

/** Those who are committed together. What a work taught the session is gone with it. */
class Parts {
  /** Tells those whose parts are whole; to be called once they are committed. */
  readonly done: (() => void)[] = [];
  #taken: Waiting[] = [];
  #transaction: Transaction | undefined;
  #released: Promise<unknown> = Promise.resolve();
  #isLeft = false;

  constructor(
    readonly writer: Writer,
    readonly waiting: Waiting[],
  ) {}

  async commit(): Promise<void> {
    this.#transaction = await this.writer.begin();
    const until = performance.now() + groupMs;
    for (
      let count = 0;
      count < groupMax && !this.#isLeft && (count === 0 || performance.now() < until);
      count++
    ) {
      const one = this.waiting.shift();
      if (!one) break;
      this.#taken.push(one);
      this.#transaction ??= await this.writer.begin(); // whoever was alone in it took it along
      await (this.done.length === 0
        ? this.#alone(one, this.#transaction)
        : this.#part(one, this.#transaction));
    }
    await this.#released;
    await this.#transaction?.commit();
  }

  /** Takes nobody else, however late an answer comes. @returns those who wait for this commit */
  leave(): Waiting[] {
    this.#isLeft = true;
    if (this.#transaction) clearCaches(this.#transaction.session);
    return this.#taken;
  }

  /**
   * Nobody's work is in the transaction yet, so it needs no savepoint: on SQLite that costs a copy of every
   * page that it changes.
   */
  async #alone(one: Waiting, transaction: Transaction): Promise<void> {
    try {
      const value = await one.work(transaction.session);
      this.done.push(() => one.resolve(value));
    } catch (error) {
      clearCaches(transaction.session);
      this.#transaction = undefined;
      await transaction.rollback();
      this.#undone(one, error);
    }
  }

  async #part(one: Waiting, transaction: Transaction): Promise<void> {
    // Nobody waits for its answer by itself: what the work asks goes along with it.
    const begun = transaction.savepoint();
    try {
      const [value] = await Promise.all([one.work(transaction.session), begun]);
      this.#released = Promise.all([this.#released, transaction.release()]);
      this.#released.catch(() => {}); // asked before the commit
      this.done.push(() => one.resolve(value));
    } catch (error) {
      clearCaches(transaction.session);
      await transaction.rollbackToSavepoint(error);
      this.#undone(one, error);
    }
  }

  #undone(one: Waiting, error: unknown): void {
    this.#taken = this.#taken.filter((other) => other !== one);
    fail(one, error, this.waiting);
  }
}
