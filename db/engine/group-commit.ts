/**
 * Group commit: transactions that arrive while a commit is in flight share the next one, each in a savepoint
 * of its own. A commit waits for the disk once, however many transactions it holds.
 */
import { isLockTimeout, isRetryable, isUnreachable } from "./errors.ts";
import { clearCaches, type Session } from "./session.ts";

/** The write connection of a process. */
export interface Writer {
  /** Runs one group at a time; when it fails, everything it did is rolled back. */
  exclusively(work: () => Promise<void>): Promise<void>;
  /** Begins a transaction and takes the write lock that all processes share. */
  begin(): Promise<Transaction>;
}

/** Statements run in the order of the calls. When the connection is lost, all of them fail. */
export interface Transaction {
  readonly session: Session;
  commit(): Promise<void>;
  rollback(): Promise<void>;
  savepoint(): Promise<void>;
  release(): Promise<void>;
  /** Rolls back to the savepoint; throws when `error` has already rolled back the whole transaction. */
  rollbackToSavepoint(error: unknown): Promise<void>;
}

interface QueuedTransaction {
  work(session: Session): Promise<unknown>;
  retriesLeft: number;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

/**
 * The most transactions in one commit: the first waits for the last, and Postgres keeps at most 64
 * subtransactions of a backend in shared memory (PGPROC_MAX_CACHED_SUBXIDS).
 */
const groupMax = 64;
/** A group takes no further transactions after this time: other processes wait for the write lock. */
const groupMs = 250;
const retries = 5;
/** A group that failed later than this has waited for a lock or a connection until its timeout. */
const timeoutMs = 1_000;

export class GroupCommit {
  #queue: QueuedTransaction[] = [];
  #isRunning = false;

  constructor(readonly writer: Writer) {}

  /**
   * Runs `work` in a transaction: it commits as a whole or, when it throws, leaves nothing, without affecting
   * the others in its group. `work` may be called again after a serialization failure.
   */
  transaction<T>(work: (session: Session) => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const queued = { work, retriesLeft: retries, resolve: resolve as QueuedTransaction["resolve"], reject };
      this.#queue.push(queued);
      void this.#commitQueue();
    });
  }

  async #commitQueue(): Promise<void> {
    if (this.#isRunning) return;
    this.#isRunning = true;
    while (this.#queue.length > 0) await this.#commitGroup();
    this.#isRunning = false;
  }

  async #commitGroup(): Promise<void> {
    const startedAt = performance.now();
    const group = new CommitGroup(this.writer, this.#queue);
    try {
      await this.writer.exclusively(() => group.commit());
      for (const resolve of group.resolvers) resolve();
    } catch (error) {
      const failed = group.abandon();
      // Without the lock or the database the next group would wait for the same timeout, so the whole queue
      // fails now.
      const isHopeless =
        performance.now() - startedAt > timeoutMs && (isLockTimeout(error) || isUnreachable(error));
      if (failed.length === 0 || isHopeless) failed.push(...this.#queue.splice(0));
      for (const transaction of failed) retryOrReject(transaction, error, this.#queue);
    }
  }
}

function retryOrReject(transaction: QueuedTransaction, error: unknown, queue: QueuedTransaction[]): void {
  if (isRetryable(error) && transaction.retriesLeft-- > 0) queue.unshift(transaction);
  else transaction.reject(error);
}

/** The transactions of one commit. A rollback clears the session's caches: they may hold undone rows. */
class CommitGroup {
  /** Resolve the transactions that succeeded; to be called after the commit. */
  readonly resolvers: (() => void)[] = [];
  #members: QueuedTransaction[] = [];
  #transaction: Transaction | undefined;
  #released: Promise<unknown> = Promise.resolve();
  #isAbandoned = false;

  constructor(
    readonly writer: Writer,
    readonly queue: QueuedTransaction[],
  ) {}

  async commit(): Promise<void> {
    this.#transaction = await this.writer.begin();
    const until = performance.now() + groupMs;
    for (
      let count = 0;
      count < groupMax && !this.#isAbandoned && (count === 0 || performance.now() < until);
      count++
    ) {
      const next = this.queue.shift();
      if (!next) break;
      this.#members.push(next);
      this.#transaction ??= await this.writer.begin(); // the first member failed and rolled it back
      await (this.resolvers.length === 0
        ? this.#runFirst(next, this.#transaction)
        : this.#runInSavepoint(next, this.#transaction));
    }
    await this.#released;
    await this.#transaction?.commit();
  }

  /** Stops taking transactions, also when a late answer arrives. @returns those that wait for this commit */
  abandon(): QueuedTransaction[] {
    this.#isAbandoned = true;
    if (this.#transaction) clearCaches(this.#transaction.session);
    return this.#members;
  }

  /**
   * The first member needs no savepoint: there is nothing else to preserve, and on SQLite a savepoint costs a
   * copy of every page changed after it.
   */
  async #runFirst(member: QueuedTransaction, transaction: Transaction): Promise<void> {
    try {
      const value = await member.work(transaction.session);
      this.resolvers.push(() => member.resolve(value));
    } catch (error) {
      clearCaches(transaction.session);
      this.#transaction = undefined;
      await transaction.rollback();
      this.#remove(member, error);
    }
  }

  async #runInSavepoint(member: QueuedTransaction, transaction: Transaction): Promise<void> {
    // Not awaited by itself: on Postgres the first statements of the work are pipelined with it.
    const begun = transaction.savepoint();
    try {
      const [value] = await Promise.all([member.work(transaction.session), begun]);
      this.#released = Promise.all([this.#released, transaction.release()]);
      this.#released.catch(() => {}); // awaited before the commit
      this.resolvers.push(() => member.resolve(value));
    } catch (error) {
      clearCaches(transaction.session);
      await transaction.rollbackToSavepoint(error);
      this.#remove(member, error);
    }
  }

  #remove(member: QueuedTransaction, error: unknown): void {
    this.#members = this.#members.filter((other) => other !== member);
    retryOrReject(member, error, this.queue);
  }
}
