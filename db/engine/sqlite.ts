/** bun:sqlite: one write connection behind a mutex, one read connection; WAL, synchronous FULL. */
import { Database } from "bun:sqlite";
import { resolve } from "node:path";
import { drizzle } from "drizzle-orm/bun-sqlite";
import { sqliteTables } from "../schema/tables.ts";
import { isDiskFull, toProblem } from "./errors.ts";
import { GroupCommit, type Transaction, type Writer } from "./group-commit.ts";
import { DatabaseError } from "./migrate.ts";
import { Mutex } from "./mutex.ts";
import { emptyCaches, type Session } from "./session.ts";
import { ensureDatabaseFile, fileIdentity, migrate, startPatienceMs } from "./sqlite-file.ts";

/** Pages of the database that are read often need not be asked of the system each time. */
export const readCacheKib = 32_768;

/**
 * The log of changes is folded into the file when it has so many pages, 16 MB. An append to a long feed
 * changes the ends of many lists, far apart; each of them is then written into the file once for many
 * appends.
 */
const logPages = 4_000;

/** How long a writer waits for the lock of another process. */
const busyRetryMs = 6_000;

export interface SqliteBackend {
  readSession: Session;
  connections: number;
  /** Runs reads outside of a transaction; in memory they share its connection, so they wait their turn. */
  outsideTransaction<T>(work: () => Promise<T>): Promise<T>;
  transaction<T>(work: (session: Session) => Promise<T>): Promise<T>;
  /** Reads see one moment, however long they take, and hold up nobody. */
  longTransaction<T>(mode: "read" | "write", work: (session: Session) => Promise<T>): Promise<T>;
  /** In memory there is one connection, and no count of what the others do. */
  dataVersion?(): number;
  location(): Promise<string>;
  close(): void;
}

export function openSqlite(place: string): SqliteBackend {
  const path = place === ":memory:" ? place : resolve(place);
  try {
    return place === ":memory:" ? openPath(path, "memory") : openFile(path);
  } catch (error) {
    const { code, message } = error as Error & { code?: string };
    if (code === undefined) throw error;
    throw new DatabaseError(`${path} cannot be opened: ${message}`, { cause: error });
  }
}

/**
 * A full disk has no room for the memory that processes share. Where no other has the file open, none is
 * needed.
 */
function openFile(path: string): SqliteBackend {
  try {
    return openPath(path, "shared");
  } catch (error) {
    if (!isDiskFull(error)) throw error;
    return openPath(path, "alone");
  }
}

/** `alone`: no other process has the file open. As in memory, there is one connection then. */
type Mode = "memory" | "shared" | "alone";

function openPath(path: string, mode: Mode): SqliteBackend {
  const single = mode !== "shared";
  if (mode !== "memory") ensureDatabaseFile(path);
  const writer = connect(path, mode);
  try {
    migrate(writer, path);
  } catch (error) {
    writer.close();
    throw error;
  }
  // From here on, waiting for another process's lock must not stop this one's event loop: `begin` waits by
  // itself. What a part of a transaction would have to undo is little, and need not pass through a file.
  writer.exec("pragma busy_timeout = 0; pragma temp_store = memory");
  const reader = single ? writer : new Database(path, { readonly: true });
  reader.exec(`pragma busy_timeout = 1000; pragma cache_size = -${readCacheKib}`);
  const mutex = new Mutex();
  const learnt = emptyCaches();
  const session = (connection: Database): Session => ({
    db: drizzle(connection),
    t: sqliteTables,
    dialect: "sqlite",
    ...learnt,
  });
  const edition = single ? null : reader.prepare<{ data_version: number }, []>("pragma data_version");
  const group = new GroupCommit(sqliteWriter(writer, mutex, session(writer)));
  return {
    readSession: session(reader),
    connections: single ? 1 : 2,
    ...(edition && { dataVersion: () => (edition.get() as { data_version: number }).data_version }),
    outsideTransaction: (work) => (single ? mutex.run(work) : work()),
    transaction: (work) => group.transaction(work),
    async longTransaction(mode, work) {
      if (single) return group.transaction(work);
      return mode === "read"
        ? apart(new Database(path, { readonly: true }), read)
        : mutex.run(() => apart(connect(path, "shared"), write));

      async function read(connection: Database) {
        connection.exec("begin; select 1 from feed_head");
        return work(session(connection));
      }
      async function write(connection: Database) {
        await begin(connection);
        const value = await work(session(connection));
        connection.exec("commit");
        return value;
      }
    },
    location: async () => (mode === "memory" ? path : fileIdentity(path)),
    close() {
      // What is closed cleanly is whole in its one file.
      if (!writer.inTransaction) foldLog(writer);
      if (!single) reader.close();
      writer.close();
    },
  };
}

/** On a full disk the log stays where it is: nothing is lost, and what the command did is done. */
function foldLog(database: Database): void {
  try {
    database.exec("pragma wal_checkpoint(truncate)");
  } catch (error) {
    if (!isDiskFull(error)) throw error;
  }
}

function connect(path: string, mode: Mode): Database {
  const database = new Database(path, { create: mode === "memory", readwrite: true });
  try {
    if (mode === "alone") database.exec("pragma locking_mode = exclusive");
    database.exec(
      `pragma busy_timeout = ${startPatienceMs}; pragma journal_mode = wal; pragma synchronous = full; pragma foreign_keys = on`,
    );
    database.exec(`pragma wal_autocheckpoint = ${logPages}`);
    return database;
  } catch (error) {
    database.close(); // or it would hold a lock that keeps out the next one
    throw error;
  }
}

export function sqliteWriter(database: Database, mutex: Mutex, session: Session): Writer {
  const [savepoint, release] = [database.prepare("savepoint part"), database.prepare("release part")];
  const transaction: Transaction = {
    session,
    commit: async () => void database.exec("commit"),
    rollback: async () => rollback(),
    savepoint: async () => void savepoint.run(),
    release: async () => void release.run(),
    async rollbackToSavepoint(error) {
      // A disk that is full, or fails, has undone the parts of the others as well.
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
        // Requests that came in while the last group was committed are about to ask: they are part of this
        // one.
        await new Promise(setImmediate);
        try {
          await work();
        } catch (error) {
          rollback();
          throw error;
        }
      }),
    async begin() {
      await begin(database);
      return transaction;
    },
  };
}

/** A connection for one piece of work; what it has not committed is undone when it is closed. */
async function apart<T>(connection: Database, work: (connection: Database) => Promise<T>): Promise<T> {
  try {
    return await work(connection);
  } finally {
    connection.close();
  }
}

/** Takes the write lock, or gives up. */
async function begin(writer: Database): Promise<void> {
  const deadline = performance.now() + busyRetryMs;
  for (let waitMs = 1; ; waitMs = Math.min(waitMs * 2, 16)) {
    try {
      return void writer.exec("begin immediate");
    } catch (error) {
      const busy = (error as { code?: string }).code === "SQLITE_BUSY";
      if (!busy || performance.now() > deadline) throw toProblem(error);
      await Bun.sleep(Math.random() * waitMs);
    }
  }
}
