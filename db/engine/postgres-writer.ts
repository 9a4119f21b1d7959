/**
 * The write connection to Postgres: one connection beside those that read, so that each statement is built
 * and prepared once. A group of transactions that fails closes it, which rolls back and rejects everything
 * that is still in flight on it.
 */
import type { ReservedSQL, SQL } from "bun";
import { pipeline } from "../query/statements.ts";
import type { ConnectionPool } from "./connection-pool.ts";
import type { Transaction, Writer } from "./group-commit.ts";
import type { Session } from "./session.ts";
import { WriteBuffer } from "./write-buffer.ts";

/** Locks the one row of `feed_head`: the write lock of all processes, held until the transaction ends. */
export const takeWriterLock = "select ts from feed_head for update";

/** `lock_timeout`: how long a writer waits for the write lock of another process. */
export const lockTimeoutMs = 6_000;
/**
 * Key of the advisory lock of the process that takes the write lock next. Where nodes with several clients
 * each append, a node gathers its group when it is next, instead of when it asks for the lock: that makes
 * fewer and larger groups, for a trip that it makes while the one before it writes (`bun run bench
 * append-nodes`).
 */
export const nextTurnLock = 0x73766333;

interface WriteConnection {
  /** Of the pool; another one after a replacement. */
  generation: number;
  opened: Promise<{ sql: SQL; connection: ReservedSQL; session: Session; begin(): Transaction }>;
}

/** Group commit on one connection, which is replaced when it breaks. */
export function openWriter(
  pool: ConnectionPool,
  sessionOn: (client: SQL) => Session,
): Writer & { close(): Promise<void> } {
  let current: WriteConnection | undefined;
  let running: Promise<void> = Promise.resolve();

  async function open(): WriteConnection["opened"] {
    const sql = await pool.connectWriter();
    // The driver would replace another one when it breaks, in the middle of a transaction.
    const connection = await sql.reserve();
    // Writes look rows up by key. Without sequential scans, a plan cached while a table was small stays an
    // index scan when the table has grown.
    await connection`set enable_seqscan = off`;
    const buffer = new WriteBuffer(connection);
    const session = sessionOn(buffer.client);
    return { sql, connection, session, begin: transactionsOn(connection, buffer, session) };
  }

  function connect(): WriteConnection {
    if (current?.generation !== pool.generation) {
      closeConnection();
      current = { generation: pool.generation, opened: open() };
    }
    return current;
  }

  /** Closes the connection; Postgres rolls back what is not committed. */
  function closeConnection(): void {
    // the rejection of a connection that could not be opened is reported to its caller
    void current?.opened.then(({ sql }) => sql.close({ timeout: 0 })).catch(() => {});
    current = undefined;
  }

  return {
    exclusively(work) {
      running = pool.withTimeout(work).catch((error) => {
        closeConnection();
        throw error;
      });
      return running;
    },
    begin: async () => (await connect().opened).begin(),
    async close() {
      await running.catch(() => {}); // reported to the callers of the group
      const { sql, connection } = (await current?.opened.catch(() => undefined)) ?? {};
      current = undefined;
      connection?.release();
      await sql?.close({ timeout: 5 });
    },
  };
}

/** Returns a function that begins a transaction. */
function transactionsOn(connection: ReservedSQL, buffer: WriteBuffer, session: Session): () => Transaction {
  // Tagged templates are prepared statements: Bun pipelines only those.
  const transaction: Omit<Transaction, "begun"> = {
    session,
    flush: async () => void (await buffer.flush()),
    async commit() {
      const { command } = await buffer.send(() => connection`commit`);
      if (command !== "COMMIT")
        throw new Error("commit was rolled back: a statement of the transaction had failed");
    },
    async rollback() {
      buffer.discard();
      await connection`rollback`;
    },
    savepoint: async () => void (await buffer.send(() => connection`savepoint part`)),
    release: async () => void (await buffer.send(() => connection`release part`)),
    async rollbackToSavepoint() {
      buffer.discard();
      await Promise.all([connection`rollback to part`, connection`release part`]);
    },
  };
  const takeLock = () => connection`select ts from feed_head for update`;

  /** @returns the time until which the transaction may wait for the lock */
  async function waitForTurn(): Promise<number> {
    const until = performance.now() + lockTimeoutMs;
    // Taken in the transaction, which Postgres ends if this process falls silent.
    await pipeline([connection`begin`, connection`select pg_advisory_lock(${nextTurnLock})`]);
    return until;
  }

  function takeTurn(until: number): Promise<unknown> {
    const leftMs = Math.max(1, Math.round(until - performance.now()));
    return pipeline([
      connection`select set_config('lock_timeout', ${`${leftMs}`}, true)`,
      takeLock(),
      connection`select pg_advisory_unlock(${nextTurnLock})`,
    ]);
  }

  return () => {
    if (!session.appends.isCrowded)
      return { ...transaction, begun: pipeline([connection`begin`, takeLock()]) };
    const turn = waitForTurn();
    return { ...transaction, turn, begun: turn.then(takeTurn) };
  };
}
