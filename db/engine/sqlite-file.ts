/**
 * The SQLite database file: created atomically, migrated, and refused without a change when it is not a
 * complete svc database.
 */
import { Database, constants as sqlite } from "bun:sqlite";
import {
  accessSync,
  type BigIntStats,
  chmodSync,
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  rmSync,
  statSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { isDiskFull } from "./errors.ts";
import { createMigrationsTable, DatabaseError, pendingMigrations, type TellMigration } from "./migrate.ts";

/** `PRAGMA application_id` of an svc database (`svc1`), in the header of the file. */
const applicationId = 0x73766331;
/** `busy_timeout` while starting: how long a process waits for another that is migrating the file. */
export const startTimeoutMs = 30_000;

/** In milliseconds; the clock of file systems has ticks of at most ten. */
const tickMs = 2;

/** Creates a missing file; throws for a file that is not a complete svc database, before SQLite opens it. */
export function ensureDatabaseFile(path: string): void {
  removeTemporaryFiles(path);
  if (!existsSync(path)) createFile(path);
  requireWritable(path);
  requireSvcDatabase(path);
}

/** SQLite opens a file that it may not write, if a crash left its WAL; then it refuses every write. */
function requireWritable(path: string): void {
  try {
    accessSync(path, constants.W_OK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const reason = code === "EROFS" ? "its disk is read-only" : `it cannot be written (${code})`;
    throw new DatabaseError(`Cannot open ${path}: ${reason}`, { cause: error });
  }
}

/**
 * Returns the inode and the creation time, which differ in a copy. File systems that do not record a creation
 * time report the time of the last change instead, which is left out.
 */
export function fileIdentity(path: string): string {
  const found = statSync(path, { bigint: true });
  // Equal as well in a file that was not changed since it was created, such as a fresh copy.
  const { ino, birthtimeNs, ctimeNs } =
    found.birthtimeNs === found.ctimeNs ? afterChange(path, found) : found;
  return `${ino}${birthtimeNs === ctimeNs ? "" : ` ${birthtimeNs}`}`;
}

/** Changes nothing of a file but the time of its last change. A file of another user stays as it is. */
function afterChange(path: string, before: BigIntStats): BigIntStats {
  try {
    for (let tries = 0; tries < 10; tries++) {
      chmodSync(path, Number(before.mode) & 0o7777);
      const stat = statSync(path, { bigint: true });
      if (stat.ctimeNs !== before.ctimeNs) return stat;
      Bun.sleepSync(tickMs);
    }
  } catch (error) {
    if (!["EPERM", "EROFS"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
  }
  return before;
}

/** Applies the pending migrations in one transaction. */
export function migrate(database: Database, place: string, tell?: TellMigration): void {
  database
    .transaction(() => {
      database.exec(createMigrationsTable);
      const pending = pendingMigrations(applied(database), place);
      for (const [index, { name, sqlite }] of pending.entries()) {
        tell?.(name, index + 1, pending.length);
        database.exec(sqlite);
        database
          .query("insert into schema_migrations (name, applied_at) values (?, ?) on conflict do nothing")
          .run(name, Date.now() * 1000);
      }
    })
    .immediate();
}

function requireSvcDatabase(path: string): void {
  const header = Buffer.alloc(100);
  const { size } = statSync(path);
  const file = openSync(path, "r");
  readSync(file, header, 0, 100, 0);
  closeSync(file);
  const refusal = (reason: string) =>
    new DatabaseError(
      `${path} ${reason}. Restore a backup, or move the file away to start with an empty database. ` +
        "It was not changed.",
    );
  if (size === 0) throw refusal("is empty, so it was truncated");
  if (header.toString("latin1", 0, 16) !== "SQLite format 3\0") throw refusal("is not a SQLite database");
  if (header.readUInt32BE(68) !== applicationId) throw refusal("is not an svc database");
  const pageSize = header.readUInt16BE(16) === 1 ? 65_536 : header.readUInt16BE(16);
  const pages = header.readUInt32BE(28);
  if (size < pageSize * pages && !walHasPages(path, pageSize, Math.floor(size / pageSize) + 1, pages))
    throw refusal("is shorter than its header says, so it was truncated");
  try {
    refuseForeignSchema(path);
  } catch (error) {
    if (isDiskFull(error)) return; // opening it for writing checks this again
    throw error instanceof DatabaseError ? error : refusal(`cannot be read (${(error as Error).message})`);
  }
}

/**
 * Whether the WAL holds these pages. After a crash during a checkpoint they may exist only there, and SQLite
 * recovers them. Format: https://www.sqlite.org/fileformat2.html#walformat
 */
function walHasPages(path: string, pageSize: number, first: number, last: number): boolean {
  const wal = `${path}-wal`;
  if (!existsSync(wal)) return false;
  const header = Buffer.alloc(32);
  const frame = Buffer.alloc(24);
  const pages = new Set<number>();
  const file = openSync(wal, "r");
  readSync(file, header, 0, 32, 0);
  for (let at = 32; readSync(file, frame, 0, 24, at) === 24; at += 24 + pageSize) {
    // frames with another salt are left over from before the last WAL reset
    if (frame.compare(header, 16, 24, 8, 16) === 0) pages.add(frame.readUInt32BE(0));
  }
  closeSync(file);
  for (let page = first; page <= last; page++) if (!pages.has(page)) return false;
  return true;
}

const hasWal = (path: string): boolean => (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;

/**
 * Throws for a schema of a newer svc, or of one that is too old. Opens the file read-only, `immutable`
 * without a WAL, so that a refused file stays byte-identical and gets no `-wal` or `-shm` beside it.
 */
function refuseForeignSchema(path: string): void {
  const uri = `${pathToFileURL(path).href}?${hasWal(path) ? "mode=ro" : "immutable=1"}`;
  const database = new Database(uri, sqlite.SQLITE_OPEN_READONLY | sqlite.SQLITE_OPEN_URI);
  try {
    database.exec(`pragma busy_timeout = ${startTimeoutMs}`);
    pendingMigrations(applied(database), path);
  } finally {
    database.close();
  }
}

/**
 * Creates the file under a temporary name and links it to `path` when it is complete. An empty file at
 * `path` is therefore a truncated database, never a new one.
 */
function createFile(path: string): void {
  mkdirSync(dirname(path), { recursive: true });
  const temporary = `${path}.new-${process.pid}-${crypto.randomUUID()}`;
  try {
    // Readable by its owner only, and SQLite creates the WAL with the same mode: the file holds the secret
    // that signs URLs and sessions.
    closeSync(openSync(temporary, "wx", 0o600));
    const database = new Database(temporary, { create: true });
    database.exec(`pragma application_id = ${applicationId}`);
    migrate(database, path);
    database.close();
    enableWal(temporary);
    linkSync(temporary, path);
    const folder = openSync(dirname(path), "r");
    fsyncSync(folder);
    closeSync(folder);
  } catch (error) {
    // another process created it first; use that file
    if ((error as { code?: string }).code !== "EEXIST") throw error;
  } finally {
    for (const suffix of ["", "-wal", "-shm", "-journal"]) rmSync(temporary + suffix, { force: true });
  }
}

/**
 * Switches to WAL while the file is still private: the switch needs an exclusive lock, and two processes that
 * open the file concurrently would block each other.
 */
function enableWal(path: string): void {
  const database = new Database(path, { create: false, readwrite: true });
  database.exec("pragma journal_mode = wal");
  database.close(true);
}

/**
 * Removes temporary files of processes that were killed while creating the database. One with this process's
 * own id comes from an earlier process, since creation is synchronous.
 */
function removeTemporaryFiles(path: string): void {
  const folder = dirname(path);
  if (!existsSync(folder)) return;
  for (const name of readdirSync(folder)) {
    if (!name.startsWith(`${basename(path)}.new-`)) continue;
    const creator = Number.parseInt(name.slice(basename(path).length + ".new-".length), 10);
    if (creator === process.pid || !isRunning(creator)) rmSync(join(folder, name), { force: true });
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as { code?: string }).code === "EPERM";
  }
}

const applied = (database: Database): string[] =>
  database
    .query<{ name: string }, []>("select name from schema_migrations order by name")
    .all()
    .map((row) => row.name);
