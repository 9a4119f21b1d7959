/**
 * The lock of the sender: a file with its process id, touched while it runs. It keeps senders from doing the
 * same work; that nothing counts twice does not depend on it, but on dedupe keys.
 */
import {
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { spoolFolder } from "./spool.ts";

const touchMs = 2_000;
/** A sender that has not touched its lock for this long does not run, though its process id may be in use. */
const staleMs = 15_000;

const lockPath = (folder: string): string => join(folder, "sender.lock");

/** Whether a sender runs. */
export function isSenderAlive(folder = spoolFolder()): boolean {
  try {
    const pid = Number(readFileSync(lockPath(folder), "utf8").split(" ")[0]);
    if (Date.now() - statSync(lockPath(folder)).mtimeMs > staleMs) return false;
    if (!(pid > 0)) return false; // damaged
    process.kill(pid, 0);
    return !isZombie(pid);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM"; // it runs as another user
  }
}

/** Whether a process has ended, in a container whose first process does not wait for those it inherits. */
function isZombie(pid: number): boolean {
  try {
    return / Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8").replace(/^.*\)/s, ""));
  } catch {
    return false; // not Linux
  }
}

export interface SenderLock {
  /** Whether it is still this process that holds the lock. */
  isHeld(): boolean;
  release(): void;
}

/** Takes the lock; null if another sender runs. */
export function takeSenderLock(folder = spoolFolder()): SenderLock | null {
  const owner = `${process.pid} ${crypto.randomUUID()}`;
  const draft = `${lockPath(folder)}.${process.pid}`;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(draft, owner, { mode: 0o600 });
  try {
    return linkLock(folder, draft, owner);
  } finally {
    rmSync(draft, { force: true });
  }
}

/** A link makes the lock with its content: a process that is killed leaves none, or a whole one. */
function linkLock(folder: string, draft: string, owner: string): SenderLock | null {
  const path = lockPath(folder);
  for (let attempt = 0; attempt < 2; attempt++) {
    try {
      linkSync(draft, path);
      return heldLock(path, owner);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
      if (isSenderAlive(folder)) return null;
      removeStale(path);
    }
  }
  return null;
}

function heldLock(path: string, owner: string): SenderLock {
  const isHeld = () => {
    try {
      return readFileSync(path, "utf8") === owner;
    } catch {
      return false;
    }
  };
  const touch = setInterval(() => {
    const now = new Date();
    if (isHeld()) utimesSync(path, now, now);
  }, touchMs);
  touch.unref();
  const release = () => {
    clearInterval(touch);
    if (isHeld()) rmSync(path, { force: true });
  };
  return { isHeld, release };
}

/** Renames before it deletes: of two processes that find the same stale lock, one fails to rename. */
function removeStale(path: string): void {
  const moved = `${path}.${process.pid}.stale`;
  try {
    renameSync(path, moved);
  } catch {}
  rmSync(moved, { force: true });
}
