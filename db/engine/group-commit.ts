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
  /** Begins a transaction, which takes the write lock that all processes share. */
  begin(): Promise<Transaction>;
}

/** Statements run in the order of the calls. When the connection is lost, all of them fail. */
export interface Transaction {
  readonly session: Session;
  /** Settles when the transaction may ask for the lock; absent if at once. Its work begins then. */
  readonly turn?: Promise<unknown>;
  /**
   * Settles when the transaction has the lock. Not awaited by itself: on Postgres the first statements are
   * pipelined with it.
   */
  readonly begun: Promise<unknown>;
  /** Sends the writes that the connection holds back, which otherwise travel with the commit. */
  flush(): Promise<void>;
  commit(): Promise<void>;
  rollback(): Promise<void>;
  savepoint(): Promise<void>;
  release(): Promise<void>;
  /** Rolls back to the savepoint; throws when `error` has already rolled back the whole transaction. */
  rollbackToSavepoint(error: unknown): Promise<void>;
}

/** `last`: it is committed before the next one begins; `alone`: it follows no other in a commit either. */
export type Grouping = "shared" | "last" | "alone";

interface QueuedTransaction {
  work(session: Session): Promise<unknown>;
  grouping: Grouping;
  retriesLeft: number;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}
type Queue = QueuedTransaction[];

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
  #queue: Queue = [];
  #isRunning = false;

  constructor(readonly writer: Writer) {}

  /**
   * Runs `work` in a transaction: it commits as a whole or, when it throws, leaves nothing, without affecting
   * the others in its group. `work` may be called again after a serialization failure.
   */
  transaction<T>(work: (session: Session) => Promise<T>, grouping: Grouping = "shared"): Promise<T> {
    return new Promise((resolve, reject) => {
      const queued = {
        work,
        grouping,
        retriesLeft: retries,
        resolve: resolve as QueuedTransaction["resolve"],
        reject,
      };
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

  #rejectQueue(error: unknown): void {
    for (const queued of this.#queue.splice(0)) queued.reject(error);
  }

  async #commitGroup(): Promise<void> {
    const startedAt = performance.now();
    const group = new CommitGroup(this.writer, this.#queue);
    try {
      await this.writer.exclusively(() => group.commit());
      for (const resolve of group.resolvers) resolve();
    } catch (error) {
      const failed = group.abandon();
      // Nothing has run on a connection that the server closed while it was idle, so another one is opened.
      const canRetry = isRetryable(error) || (!group.hasBegun && isUnreachable(error) && !isLate(startedAt));
      for (const transaction of failed) retryOrReject(transaction, error, canRetry, this.#queue);
      if (failed.length === 0 || isHopeless(error, startedAt)) this.#rejectQueue(error);
    }
  }
}

const isLate = (startedAt: number): boolean => performance.now() - startedAt > timeoutMs;

/**
 * Without the lock or the database the next in the queue would wait for the same timeout, so the whole queue
 * fails now.
 */
const isHopeless = (error: unknown, startedAt: number): boolean =>
  isLate(startedAt) && (isLockTimeout(error) || isUnreachable(error));

function retryOrReject(
  transaction: QueuedTransaction,
  error: unknown,
  canRetry: boolean,
  queue: Queue,
): void {
  if (canRetry && transaction.retriesLeft-- > 0) queue.unshift(transaction);
  else transaction.reject(error);
}

/** The transactions of one commit. A rollback clears the session's caches: they may hold undone rows. */
class CommitGroup {
  /** Resolve the transactions that succeeded; to be called after the commit. */
  readonly resolvers: (() => void)[] = [];
  /** Whether a transaction of the group got the lock. */
  hasBegun = false;
  /** When the group takes no further transactions. */
  #until = Number.POSITIVE_INFINITY;
  #members: QueuedTransaction[] = [];
  #transaction: Transaction | undefined;
  #released: Promise<unknown> = Promise.resolve();
  #isAbandoned = false;

  constructor(
    readonly writer: Writer,
    readonly queue: Queue,
  ) {}

  async commit(): Promise<void> {
    this.#transaction = await this.writer.begin();
    for (let count = 0; count < groupMax && !this.#isAbandoned && performance.now() < this.#until; count++) {
      const [next] = this.queue;
      if (!next || (next.grouping === "alone" && count > 0)) break;
      this.queue.shift();
      this.#members.push(next);
      this.#transaction ??= await this.writer.begin(); // the first member failed and rolled it back
      await (this.resolvers.length === 0
        ? this.#runFirst(next, this.#transaction)
        : this.#runInSavepoint(next, this.#transaction));
      if (next.grouping !== "shared") break;
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
    const begins = transaction.begun.then(() => {
      this.hasBegun = true;
      this.#until = Math.min(this.#until, performance.now() + groupMs);
    });
    const running = this.#run(member, transaction);
    const [begun] = await Promise.allSettled([begins, running]);
    if (begun.status === "rejected") throw begun.reason;
    try {
      const value = await running;
      this.resolvers.push(() => member.resolve(value));
    } catch (error) {
      clearCaches(transaction.session);
      this.#transaction = undefined;
      await transaction.rollback();
      this.#remove(member, error);
    }
  }

  /** What a connection holds back travels with the commit, unless others follow. */
  async #run({ work }: QueuedTransaction, transaction: Transaction): Promise<unknown> {
    if (transaction.turn) await transaction.turn;
    const value = await work(transaction.session);
    if (this.queue.length > 0) await transaction.flush();
    return value;
  }

  async #runInSavepoint(member: QueuedTransaction, transaction: Transaction): Promise<void> {
    // Not awaited by itself: on Postgres the first statements of the work are pipelined with it.
    const begun = transaction.savepoint();
    try {
      const [value] = await Promise.all([member.work(transaction.session), begun]);
      await transaction.flush();
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
    retryOrReject(member, error, isRetryable(error), this.queue);
  }
}
