/**
 * The write connection to Postgres: one connection reserved from the pool, so that each statement is built
 * and prepared once. A group of transactions that fails closes it, which rolls back and rejects everything
 * that is still in flight on it.
 */
import type { ReservedSQL, SQL } from "bun";
import type { ConnectionPool } from "./connection-pool.ts";
import { isUnreachable } from "./errors.ts";
import type { Transaction, Writer } from "./group-commit.ts";
import type { Session } from "./session.ts";

/** Locks the one row of `feed_head`: the write lock of all processes, held until the transaction ends. */
export const takeWriterLock = "select ts from feed_head for update";

interface WriteConnection {
  /** The driver's pool that it was reserved from; another one after a replacement. */
  sql: SQL;
  opened: Promise<{ connection: ReservedSQL; transaction: Transaction }>;
}

/** Group commit on one connection of the pool, which is replaced when it breaks. */
export function openWriter(
  pool: ConnectionPool,
  sessionOn: (client: SQL) => Session,
): Writer & { close(): Promise<void> } {
  let current: WriteConnection | undefined;
  let running: Promise<void> = Promise.resolve();

  async function open(sql: SQL): WriteConnection["opened"] {
    const connection = await sql.reserve();
    return { connection, transaction: transactionOn(connection, sessionOn(connection)) };
  }

  /** Closes the connection; Postgres rolls back what is not committed. */
  function closeConnection(): void {
    // the rejection of a connection that could not be opened is reported to its caller
    void current?.opened.then(({ connection }) => connection.close({ timeout: 0 })).catch(() => {});
    current = undefined;
  }

  async function beginOn({ opened }: WriteConnection): Promise<Transaction> {
    const { connection, transaction } = await opened;
    // Writes look rows up by key. Without sequential scans, a plan cached while a table was small stays an
    // index scan when the table has grown.
    await connection.unsafe(`begin; set local enable_seqscan = off; ${takeWriterLock}`);
    return transaction;
  }

  return {
    exclusively(work) {
      running = pool.withTimeout(work).catch((error) => {
        closeConnection();
        throw error;
      });
      return running;
    },
    async begin() {
      const existing = current;
      if (existing?.sql === pool.sql) {
        try {
          return await beginOn(existing);
        } catch (error) {
          // An idle connection may have been closed by the server. Nothing has run on it, so open another.
          if (!isUnreachable(error) || current !== existing) throw error;
        }
      }
      closeConnection();
      current = { sql: pool.sql, opened: open(pool.sql) };
      return beginOn(current);
    },
    async close() {
      await running.catch(() => {}); // reported to the callers of the group
      const { connection } = (await current?.opened.catch(() => undefined)) ?? {};
      connection?.release();
      current = undefined;
    },
  };
}

// Tagged templates are prepared statements: Bun pipelines only those.
const transactionOn = (connection: ReservedSQL, session: Session): Transaction => ({
  session,
  async commit() {
    const { command } = await connection`commit`;
    if (command !== "COMMIT")
      throw new Error("commit was rolled back: a statement of the transaction had failed");
  },
  rollback: async () => void (await connection`rollback`),
  savepoint: async () => void (await connection`savepoint part`),
  release: async () => void (await connection`release part`),
  rollbackToSavepoint: async () =>
    void (await Promise.all([connection`rollback to part`, connection`release part`])),
});
