/**
 * The connection to Postgres that writes: one of the pool, kept as long as it lasts, so that every statement
 * is built, and prepared there, once. What goes wrong with a group of transactions ends it, and with it
 * whatever is still asked of it.
 */
import type { ReservedSQL, SQL } from "bun";
import type { ConnectionPool } from "./connection-pool.ts";
import { isUnreachable } from "./errors.ts";
import type { Transaction, Writer } from "./group-commit.ts";
import type { Session } from "./session.ts";

export const takeWriterLock = "select ts from feed_head for update";

interface Kept {
  /** The pool that it is of. */
  sql: SQL;
  opened: Promise<{ connection: ReservedSQL; transaction: Transaction }>;
}

export function openWriter(
  pool: ConnectionPool,
  sessionOn: (client: SQL) => Session,
): Writer & { close(): Promise<void> } {
  let kept: Kept | undefined;
  let turning: Promise<void> = Promise.resolve();

  async function open(sql: SQL): Kept["opened"] {
    const connection = await sql.reserve();
    return { connection, transaction: transactionOn(connection, sessionOn(connection)) };
  }

  /** Its end undoes what is not committed. */
  function drop(): void {
    // it never was one
    void kept?.opened.then(({ connection }) => connection.close({ timeout: 0 })).catch(() => {});
    kept = undefined;
  }

  async function beginOn({ opened }: Kept): Promise<Transaction> {
    const { connection, transaction } = await opened;
    // Who writes finds what he wants by a key: a plan that was made while a table was short must not read all
    // of a long one.
    await connection.unsafe(`begin; set local enable_seqscan = off; ${takeWriterLock}`);
    return transaction;
  }

  return {
    exclusively(work) {
      turning = pool.withTimeout(work).catch((error) => {
        drop();
        throw error;
      });
      return turning;
    },
    async begin() {
      const before = kept;
      if (before?.sql === pool.sql) {
        try {
          return await beginOn(before);
        } catch (error) {
          // It may have ended while nobody wrote: then nothing was asked of it yet.
          if (!isUnreachable(error) || kept !== before) throw error;
        }
      }
      drop();
      kept = { sql: pool.sql, opened: open(pool.sql) };
      return beginOn(kept);
    },
    async close() {
      await turning.catch(() => {}); // whoever waits for it is told
      const { connection } = (await kept?.opened.catch(() => undefined)) ?? {};
      connection?.release();
      kept = undefined;
    },
  };
}

// As templates these are prepared, and what is prepared is sent without waiting for the answers before it.
const transactionOn = (connection: ReservedSQL, session: Session): Transaction => ({
  session,
  async commit() {
    const { command } = await connection`commit`;
    if (command !== "COMMIT") throw new Error("the work went on after one of its statements had failed");
  },
  rollback: async () => void (await connection`rollback`),
  savepoint: async () => void (await connection`savepoint part`),
  release: async () => void (await connection`release part`),
  rollbackToSavepoint: async () =>
    void (await Promise.all([connection`rollback to part`, connection`release part`])),
});
