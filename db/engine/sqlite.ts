/** SQLite by bun:sqlite: one connection behind a mutex, one for reads beside it; WAL, synchronous FULL. */
import type { Database, Statement } from "bun:sqlite";
import { resolve } from "node:path";
import { sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/bun-sqlite";
import { sqlite } from "../dialect/sqlite.ts";
import { sqliteTables } from "../schema/sqlite-tables.ts";
import type { Backend } from "./backend.ts";
import { CompilingDatabase, readsBetween } from "./compiling-database.ts";
import { isDiskFull, toProblem } from "./errors.ts";
import { GroupCommit, type Transaction, type Writer } from "./group-commit.ts";
import { DatabaseError, type TellMigration } from "./migrate.ts";
import { Mutex } from "./mutex.ts";
import { purgeFile } from "./purge-file.ts";
import { emptyCaches, type Session } from "./session.ts";
import { ensureDatabaseFile, fileIdentity, migrate, startTimeoutMs } from "./sqlite-file.ts";

/**
 * `cache_size` of the connection that writes and reads, in KiB: pages that are read often stay in the
 * process, and so do those of a dozen indexes that an append changes. With 2 MB, pages of the library took
 * 15 % more CPU (`bun run bench assets`), and batches of 100 a tenth more (`bun run bench append`).
 */
export const cacheKib = 32_768;

/** The same of the connection that reads during transactions. */
const besideCacheKib = 16_384;

/**
 * `wal_autocheckpoint` in pages of 4 KiB (32 MB). An append to a long feed changes the last pages of many
 * index ranges; with a large WAL each of them is written to the file once for many appends.
 */
const walPages = 8_000;

/** How long a writer waits for the write lock of another process. */
const lockTimeoutMs = 6_000;

/** How long a read waits for a lock, which only recovery of the WAL takes. */
const readTimeoutMs = 1_000;

/** Polling is the only signal of an append by another process. */
const pollMs = 100;
/** Written in one go: 15 to 40 ms. */
const batchMax = 250;

export type SqliteBackend = Backend & Required<Pick<Backend, "releaseMemory" | "othersVersion" | "isIntact">>;

/** Opens or creates a file, or a database in memory. @throws DatabaseError that fits on one line */
export function openSqlite(name: string, tell?: TellMigration): SqliteBackend {
  const path = name === ":memory:" ? name : resolve(name);
  try {
    return name === ":memory:" ? openPath(path, "memory") : openFile(path, tell);
  } catch (error) {
    const { code, message } = error as Error & { code?: string };
    if (code === undefined) throw error;
    throw new DatabaseError(`Cannot open ${path}: ${message}`, { cause: error });
  }
}

/**
 * Opens a file on a full disk too: there is no room for the shared memory of the WAL (`-shm`) then, but with
 * `locking_mode = exclusive` SQLite needs none.
 */
function openFile(path: string, tell?: TellMigration): SqliteBackend {
  try {
    return openPath(path, "shared", tell);
  } catch (error) {
    if (!isDiskFull(error)) throw error;
    return openPath(path, "exclusive", tell);
  }
}

/** `exclusive`: no other process has the file open. Like `memory`, it uses a single connection. */
type Mode = "memory" | "shared" | "exclusive";

function openPath(path: string, mode: Mode, tell?: TellMigration): SqliteBackend {
  const isSingle = mode !== "shared";
  if (mode !== "memory") ensureDatabaseFile(path);
  const writer = connect(path, mode);
  try {
    // Only a database in memory is new here.
    migrate(writer, path, mode === "memory" ? undefined : tell);
  } catch (error) {
    writer.close();
    throw error;
  }
  // `busy_timeout` would block the event loop while another process holds the lock; `begin` retries
  // asynchronously instead. The statement journals of savepoints are small enough to stay in memory.
  writer.exec("pragma busy_timeout = 0; pragma temp_store = memory");
  const reader = isSingle ? writer : new CompilingDatabase(path, { readonly: true });
  reader.exec(`pragma busy_timeout = ${readTimeoutMs}; pragma cache_size = -${besideCacheKib}`);
  const mutex = new Mutex();
  const caches = emptyCaches();
  const sessionOn = (connection: Database): Session => ({
    db: drizzle(connection),
    t: sqliteTables(),
    dialect: sqlite,
    ...caches,
  });
  const dataVersion = isSingle ? undefined : versionReader(reader);
  const groupCommit = new GroupCommit(sqliteWriter(writer, mutex, sessionOn(writer)));
  const longTransaction: SqliteBackend["longTransaction"] = async (mode, work) => {
    if (isSingle) return groupCommit.transaction(work);
    return mode === "read"
      ? withConnection(new CompilingDatabase(path, { readonly: true }), read)
      : mutex.run(() => withConnection(connect(path, "shared"), write));

    async function read(connection: Database) {
      connection.exec("begin; select 1 from feed_head");
      return work(sessionOn(connection));
    }
    async function write(connection: Database) {
      await begin(connection.prepare("begin immediate"));
      const value = await work(sessionOn(connection));
      connection.exec("commit");
      return value;
    }
  };
  return {
    readSession: sessionOn(isSingle ? reader : readsBetween(writer, reader)),
    connections: isSingle ? 1 : 2,
    pollMs,
    batchMax,
    ...(dataVersion && { dataVersion }),
    othersVersion: versionReader(writer),
    releaseMemory() {
      for (const connection of [reader, writer]) connection.exec("pragma shrink_memory");
    },
    outsideTransaction: (work) => (isSingle ? mutex.run(work) : work()),
    // A savepoint takes less time than waiting for the disk once more, unless it changes thousands of pages.
    transaction: (work, grouping) => groupCommit.transaction(work, grouping === "last" ? "shared" : grouping),
    longTransaction,
    async isIntact() {
      const [row] = await longTransaction("read", ({ db }) =>
        Promise.resolve(db.all<{ integrity_check: string }>(sql`pragma integrity_check(1)`)),
      );
      return row?.integrity_check === "ok";
    },
    ...(!isSingle && { purge: () => mutex.run(() => purgeFile(path)) }),
    location: async () => (mode === "memory" ? path : fileIdentity(path)),
    close() {
      // After a clean shutdown the whole database is in one file.
      if (!writer.inTransaction) checkpoint(writer);
      // With their statements: SQLite keeps the files of a WAL open for as long as there is one.
      for (const connection of new Set([reader, writer])) connection.close(true);
    },
  };
}

/** Moves the WAL into the file and truncates it. On a full disk the WAL stays, and nothing is lost. */
function checkpoint(database: Database): void {
  try {
    database.exec("pragma wal_checkpoint(truncate)");
  } catch (error) {
    if (!isDiskFull(error)) throw error;
  }
}

function connect(path: string, mode: Mode): Database {
  const database = new CompilingDatabase(path, { create: mode === "memory", readwrite: true });
  try {
    if (mode === "exclusive") database.exec("pragma locking_mode = exclusive");
    database.exec(
      `pragma busy_timeout = ${startTimeoutMs}; pragma journal_mode = wal; pragma synchronous = ` +
        "full; pragma foreign_keys = on",
    );
    database.exec(`pragma wal_autocheckpoint = ${walPages}; pragma cache_size = -${cacheKib}`);
    return database;
  } catch (error) {
    database.close(); // an open connection would keep its lock and block the next attempt
    throw error;
  }
}

/** Returns a reader of the number that changes with each commit of another connection. */
function versionReader(database: Database): () => number {
  const statement = database.prepare<{ data_version: number }, []>("pragma data_version");
  return () => (statement.get() as { data_version: number }).data_version;
}

/** Group commit on SQLite's write connection. */
export function sqliteWriter(database: Database, mutex: Mutex, session: Session): Writer {
  // Prepared once: parsing them again takes as long as running them (`bun run bench append`).
  const [beginning, commit] = [database.prepare("begin immediate"), database.prepare("commit")];
  const [savepoint, release] = [database.prepare("savepoint part"), database.prepare("release part")];
  const transaction: Transaction = {
    session,
    begun: Promise.resolve(),
    flush: async () => {},
    commit: async () => void commit.run(),
    rollback: async () => rollback(),
    savepoint: async () => void savepoint.run(),
    release: async () => void release.run(),
    async rollbackToSavepoint(error) {
      // On a full disk or an I/O error SQLite rolls back the whole transaction, including other savepoints:
      // https://www.sqlite.org/lang_transaction.html#response_to_errors_within_a_transaction
      if (!database.inTransaction) throw error;
      database.exec("rollback to part");
      release.run();
    },
  };
  function rollback(): void {
    if (database.inTransaction) database.exec("rollback");
  }
  return {
    exclusively: (work) =>
      mutex.run(async () => {
        // Let requests that arrived during the last commit reach the queue, so that they join this group.
        await new Promise(setImmediate);
        try {
          await work();
        } catch (error) {
          rollback();
          throw error;
        }
      }),
    async begin() {
      await begin(beginning);
      return transaction;
    },
  };
}

/**
 * Runs `work`, rolls back what is not committed, and closes the connection. Closing alone would not end a
 * transaction as long as a compiled statement exists: https://www.sqlite.org/c3ref/close.html
 */
async function withConnection<T>(
  connection: Database,
  work: (connection: Database) => Promise<T>,
): Promise<T> {
  try {
    return await work(connection);
  } finally {
    if (connection.inTransaction) connection.exec("rollback");
    connection.close();
  }
}

/** Takes the write lock, retrying with a randomized backoff; throws a Problem 503 after `lockTimeoutMs`. */
async function begin(statement: Statement): Promise<void> {
  const deadline = performance.now() + lockTimeoutMs;
  for (let waitMs = 1; ; waitMs = Math.min(waitMs * 2, 16)) {
    try {
      return void statement.run();
    } catch (error) {
      const isBusy = (error as { code?: string }).code === "SQLITE_BUSY";
      if (!isBusy || performance.now() > deadline) throw toProblem(error);
      await Bun.sleep(Math.random() * waitMs);
    }
  }
}
