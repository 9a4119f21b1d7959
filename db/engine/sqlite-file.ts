/**
 * The database file: made whole, brought up to date, refused and left alone where it is not a whole one of
 * ours.
 */
import { constants, Database } from "bun:sqlite";
import {
  closeSync,
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
import { createMigrationsTable, DatabaseError, migrations, pendingMigrations } from "./migrate.ts";

/** Marks a file as ours, in its header (`svc1`). */
const applicationId = 0x73766331;
/** How long a start waits for another process that is starting too. */
export const startPatienceMs = 30_000;

/** Makes it where there is none, refuses what is not a whole database of ours, before SQLite may touch it. */
export function ensureDatabaseFile(path: string): void {
  removeLeftovers(path);
  if (existsSync(path)) requireOurs(path);
  else createFile(path);
}

/**
 * Inode and time of creation: a copy differs in both. File systems without such a time give that of the last
 * change, or none.
 */
export function fileIdentity(path: string): string {
  const { ino, birthtimeNs, ctimeNs } = statSync(path, { bigint: true });
  return `${ino}${birthtimeNs === ctimeNs ? "" : ` ${birthtimeNs}`}`;
}

/** Runs what is pending, in one transaction. */
export function migrate(database: Database, place: string): void {
  database
    .transaction(() => {
      database.exec(createMigrationsTable);
      for (const { name, statements } of pendingMigrations(migrations.sqlite, applied(database), place)) {
        for (const statement of statements) database.exec(statement);
        database
          .query("insert into schema_migrations (name, applied_at) values (?, ?)")
          .run(name, Date.now() * 1000);
      }
    })
    .immediate();
}

function requireOurs(path: string): void {
  const header = Buffer.alloc(100);
  const { size } = statSync(path);
  const file = openSync(path, "r");
  readSync(file, header, 0, 100, 0);
  closeSync(file);
  const refuse = (what: string) =>
    new DatabaseError(
      `${path} ${what}; nothing was changed: move it away to begin anew, or restore a backup`,
    );
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
    if (isDiskFull(error)) return; // whoever opens it next looks as well
    throw error instanceof DatabaseError ? error : refuse(`cannot be read (${(error as Error).message})`);
  }
}

/**
 * Whether the log beside a file has these pages: a crash while it was folded in leaves them there alone, and
 * SQLite finds them.
 */
function logHolds(path: string, pageSize: number, first: number, last: number): boolean {
  const log = `${path}-wal`;
  if (!existsSync(log)) return false;
  const header = Buffer.alloc(32);
  const frame = Buffer.alloc(24);
  const held = new Set<number>();
  const file = openSync(log, "r");
  readSync(file, header, 0, 32, 0);
  for (let at = 32; readSync(file, frame, 0, 24, at) === 24; at += 24 + pageSize) {
    // others are left from an earlier round of the log
    if (frame.compare(header, 16, 24, 8, 16) === 0) held.add(frame.readUInt32BE(0));
  }
  closeSync(file);
  for (let page = first; page <= last; page++) if (!held.has(page)) return false;
  return true;
}

const hasLog = (path: string): boolean => (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;

/** Looks without a trace: a refused file stays as it is to the byte, and alone where it was alone. */
function refuseNewer(path: string): void {
  const address = `${pathToFileURL(path).href}?${hasLog(path) ? "mode=ro" : "immutable=1"}`;
  const database = new Database(address, constants.SQLITE_OPEN_READONLY | constants.SQLITE_OPEN_URI);
  try {
    database.exec(`pragma busy_timeout = ${startPatienceMs}`);
    pendingMigrations(migrations.sqlite, applied(database), path);
  } finally {
    database.close();
  }
}

/**
 * Under a temporary name first: a file at `path` is then always whole, so an empty one was cut off and no
 * fresh start.
 */
function createFile(path: string): void {
  mkdirSync(dirname(path), { recursive: true });
  const temporary = `${path}.new-${process.pid}-${crypto.randomUUID()}`;
  try {
    // Its owner's alone, and so is what SQLite lays beside it: it holds the secret that signs addresses and
    // sessions.
    closeSync(openSync(temporary, "wx", 0o600));
    const database = new Database(temporary, { create: true });
    database.exec(`pragma application_id = ${applicationId}`);
    migrate(database, path);
    database.close();
    switchToLog(temporary);
    linkSync(temporary, path);
    const folder = openSync(dirname(path), "r");
    fsyncSync(folder);
    closeSync(folder);
  } catch (error) {
    // another process was first; its file serves as well
    if ((error as { code?: string }).code !== "EEXIST") throw error;
  } finally {
    for (const suffix of ["", "-wal", "-shm", "-journal"]) rmSync(temporary + suffix, { force: true });
  }
}

/**
 * Here and not when it is opened: two processes that open it at once must not both want it for themselves.
 */
function switchToLog(path: string): void {
  const database = new Database(path, { create: false, readwrite: true });
  database.exec("pragma journal_mode = wal");
  database.close(true);
}

/**
 * Removes what is left of a creation whose process was killed. One of this process number is not of this
 * process: creating never waits.
 */
function removeLeftovers(path: string): void {
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
