/** bun:sqlite: one write connection behind a mutex, one read connection; WAL, synchronous FULL. */
import { constants, Database } from "bun:sqlite";
import { closeSync, existsSync, fsyncSync, linkSync, mkdirSync, openSync, readSync, rmSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { drizzle } from "drizzle-orm/bun-sqlite";
import { translate } from "./errors.ts";
import { DatabaseError, ledger, type Migration, migrations, pending } from "./migrate.ts";
import { Mutex } from "./mutex.ts";
import type { Session } from "./session.ts";
import { liteTables } from "./tables.ts";

/** Marks a file as ours, in its header (`svc1`). */
const applicationId = 0x73766331;
/** How long a writer waits for its turn and for the lock of another process. */
const busyRetryMs = 8_000;

export interface Lite {
  read: Session;
  write: Session;
  /** Runs reads outside of a transaction; in memory they share its connection, so they wait their turn. */
  outside<T>(work: () => Promise<T>): Promise<T>;
  transaction<T>(work: () => Promise<T>): Promise<T>;
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
  if (!memory && existsSync(path)) requireOurs(path);
  else if (!memory) createFile(path);
  const writer = connect(path);
  migrate(writer, migrations.sqlite, path);
  const reader = memory ? writer : new Database(path, { readonly: true });
  reader.exec("pragma busy_timeout = 1000");
  const mutex = new Mutex();
  const session = (connection: Database): Session => ({ db: drizzle(connection), t: liteTables, dialect: "sqlite" });
  return {
    write: session(writer),
    read: session(reader),
    outside: (work) => (memory ? mutex.run(work) : work()),
    transaction(work) {
      const deadline = performance.now() + busyRetryMs; // waiting for one's turn counts
      return mutex.run(() => transaction(writer, work, deadline));
    },
    close() {
      // What is closed cleanly is whole in its one file.
      writer.exec("pragma wal_checkpoint(truncate)");
      if (!memory) reader.close();
      writer.close();
    },
  };
}

function connect(path: string): Database {
  const database = new Database(path, { create: path === ":memory:", readwrite: true });
  // Waiting for another process's lock must not stop this one's event loop: `begin` below waits by itself.
  database.exec("pragma busy_timeout = 0; pragma journal_mode = wal; pragma synchronous = full; pragma foreign_keys = on");
  return database;
}

async function transaction<T>(writer: Database, work: () => Promise<T>, deadline: number): Promise<T> {
  await begin(writer, deadline);
  try {
    const value = await work();
    writer.exec("commit");
    return value;
  } catch (error) {
    if (writer.inTransaction) writer.exec("rollback");
    throw error;
  }
}

/** Takes the write lock, or gives up at the deadline. */
async function begin(writer: Database, deadline: number): Promise<void> {
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

/** Refuses what is not a whole database of ours, before SQLite may touch it. */
function requireOurs(path: string): void {
  const header = Buffer.alloc(100);
  const { size } = statSync(path);
  const file = openSync(path, "r");
  readSync(file, header, 0, 100, 0);
  closeSync(file);
  const refuse = (what: string) =>
    new DatabaseError(`${path} ${what}; nothing was changed: move it away to begin anew, or restore a backup`);
  if (size === 0) throw refuse("is empty, so it was cut off");
  if (header.toString("latin1", 0, 16) !== "SQLite format 3\0") throw refuse("is not a SQLite database");
  if (header.readUInt32BE(68) !== applicationId) throw refuse("is not a database of svc");
  const pageSize = header.readUInt16BE(16) === 1 ? 65_536 : header.readUInt16BE(16);
  const pages = header.readUInt32BE(28);
  if (size < pageSize * pages && !logHolds(path, pageSize, Math.floor(size / pageSize) + 1, pages))
    throw refuse("is shorter than its header says, so it was cut off");
  try {
    refuseNewer(path);
  } catch (error) {
    throw error instanceof DatabaseError ? error : refuse(`cannot be read (${(error as Error).message})`);
  }
}

/** Whether the log beside a file has these pages: a crash while it was folded in leaves them there alone, and SQLite finds them. */
function logHolds(path: string, pageSize: number, first: number, last: number): boolean {
  const log = `${path}-wal`;
  if (!existsSync(log)) return false;
  const header = Buffer.alloc(32);
  const frame = Buffer.alloc(24);
  const held = new Set<number>();
  const file = openSync(log, "r");
  readSync(file, header, 0, 32, 0);
  for (let at = 32; readSync(file, frame, 0, 24, at) === 24; at += 24 + pageSize) {
    if (frame.compare(header, 16, 24, 8, 16) === 0) held.add(frame.readUInt32BE(0)); // others are left from an earlier round of the log
  }
  closeSync(file);
  for (let page = first; page <= last; page++) if (!held.has(page)) return false;
  return true;
}

/** Looks without a trace: a refused file stays as it is to the byte, and alone where it was alone. */
function refuseNewer(path: string): void {
  const logged = existsSync(`${path}-wal`) && statSync(`${path}-wal`).size > 0;
  const address = `${pathToFileURL(path).href}?${logged ? "mode=ro" : "immutable=1"}`;
  const database = new Database(address, constants.SQLITE_OPEN_READONLY | constants.SQLITE_OPEN_URI);
  try {
    pending(migrations.sqlite, applied(database), path);
  } finally {
    database.close();
  }
}

/** Under a temporary name first: a file at `path` is then always whole, so an empty one was cut off and no fresh start. */
function createFile(path: string): void {
  mkdirSync(dirname(path), { recursive: true });
  const temporary = `${path}.new-${process.pid}-${crypto.randomUUID()}`;
  try {
    const database = new Database(temporary, { create: true });
    database.exec(`pragma application_id = ${applicationId}`);
    migrate(database, migrations.sqlite, path);
    database.close();
    linkSync(temporary, path);
    const folder = openSync(dirname(path), "r");
    fsyncSync(folder);
    closeSync(folder);
  } catch (error) {
    if ((error as { code?: string }).code !== "EEXIST") throw error; // another process was first; its file serves as well
  } finally {
    for (const suffix of ["", "-wal", "-shm", "-journal"]) rmSync(temporary + suffix, { force: true });
  }
}

const applied = (database: Database): string[] =>
  database
    .query<{ name: string }, []>("select name from schema_migrations order by name")
    .all()
    .map((row) => row.name);

function migrate(database: Database, known: readonly Migration[], place: string): void {
  database.exec("pragma busy_timeout = 30000"); // another process may be migrating
  database
    .transaction(() => {
      database.exec(ledger);
      for (const { name, statements } of pending(known, applied(database), place)) {
        for (const statement of statements) database.exec(statement);
        database.query("insert into schema_migrations (name, applied_at) values (?, ?)").run(name, Date.now() * 1000);
      }
    })
    .immediate();
  database.exec("pragma busy_timeout = 0");
}
