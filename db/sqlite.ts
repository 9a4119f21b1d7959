/** bun:sqlite: one write connection behind a mutex, one read connection; WAL, synchronous FULL. */
import { Database } from "bun:sqlite";
import { resolve } from "node:path";
import { drizzle } from "drizzle-orm/bun-sqlite";
import { translate } from "./errors.ts";
import { fileIdentity, migrate, prepareFile, startPatienceMs } from "./file.ts";
import { Group, type Transaction, type Writer } from "./group.ts";
import { DatabaseError } from "./migrate.ts";
import { Mutex } from "./mutex.ts";
import { nothingLearnt, type Session } from "./session.ts";
import { liteTables } from "./tables.ts";

/** Pages of the database that are read often need not be asked of the system each time. */
export const readCacheKib = 32_768;

/**
 * The log of changes is folded into the file when it has so many pages, 16 MB. An append to a long feed changes the ends of many
 * lists, far apart; each of them is then written into the file once for many appends.
 */
const logPages = 4_000;

/** How long a writer waits for the lock of another process. */
const busyRetryMs = 6_000;

export interface Lite {
  read: Session;
  connections: number;
  /** Runs reads outside of a transaction; in memory they share its connection, so they wait their turn. */
  outside<T>(work: () => Promise<T>): Promise<T>;
  transaction<T>(work: (session: Session) => Promise<T>): Promise<T>;
  /** Reads see one moment, however long they take, and hold up nobody. */
  lasting<T>(mode: "read" | "write", work: (session: Session) => Promise<T>): Promise<T>;
  /** In memory there is one connection, and no count of what the others do. */
  edition?(): number;
  location(): Promise<string>;
  close(): void;
}

export function openLite(place: string): Lite {
  const path = place === ":memory:" ? place : resolve(place);
  try {
    return openPath(path, place === ":memory:");
  } catch (error) {
    const { code, message } = error as Error & { code?: string };
    if (code === undefined) throw error;
    throw new DatabaseError(`${path} cannot be opened: ${message}`, { cause: error });
  }
}

function openPath(path: string, memory: boolean): Lite {
  if (!memory) prepareFile(path);
  const writer = connect(path);
  migrate(writer, path);
  // From here on, waiting for another process's lock must not stop this one's event loop: `begin` waits by itself.
  // What a part of a transaction would have to undo is little, and need not pass through a file.
  writer.exec("pragma busy_timeout = 0; pragma temp_store = memory");
  const reader = memory ? writer : new Database(path, { readonly: true });
  reader.exec(`pragma busy_timeout = 1000; pragma cache_size = -${readCacheKib}`);
  const mutex = new Mutex();
  const learnt = nothingLearnt();
  const session = (connection: Database): Session => ({ db: drizzle(connection), t: liteTables, dialect: "sqlite", ...learnt });
  const edition = memory ? null : reader.prepare<{ data_version: number }, []>("pragma data_version");
  const group = new Group(liteWriter(writer, mutex, session(writer)));
  return {
    read: session(reader),
    connections: memory ? 1 : 2,
    ...(edition && { edition: () => (edition.get() as { data_version: number }).data_version }),
    outside: (work) => (memory ? mutex.run(work) : work()),
    transaction: (work) => group.transaction(work),
    async lasting(mode, work) {
      if (memory) return group.transaction(work);
      return mode === "read" ? apart(new Database(path, { readonly: true }), read) : mutex.run(() => apart(connect(path), write));

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
    location: async () => (memory ? path : fileIdentity(path)),
    close() {
      // What is closed cleanly is whole in its one file.
      if (!writer.inTransaction) writer.exec("pragma wal_checkpoint(truncate)");
      if (!memory) reader.close();
      writer.close();
    },
  };
}

function connect(path: string): Database {
  const database = new Database(path, { create: path === ":memory:", readwrite: true });
  database.exec(`pragma busy_timeout = ${startPatienceMs}; pragma journal_mode = wal; pragma synchronous = full; pragma foreign_keys = on`);
  database.exec(`pragma wal_autocheckpoint = ${logPages}`);
  return database;
}

export function liteWriter(database: Database, mutex: Mutex, session: Session): Writer {
  const [savepoint, release] = [database.prepare("savepoint part"), database.prepare("release part")];
  const transaction: Transaction = {
    session,
    commit: async () => void database.exec("commit"),
    rollback: async () => rollback(),
    savepoint: async () => void savepoint.run(),
    release: async () => void release.run(),
    async undo(error) {
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
    turn: (work) =>
      mutex.run(async () => {
        // Requests that came in while the last group was committed are about to ask: they are part of this one.
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
      if (!busy || performance.now() > deadline) throw translate(error);
      await Bun.sleep(Math.random() * waitMs);
    }
  }
}
