/**
 * The lock of the sender: a file with its process id, touched while it runs. It keeps senders from doing the
 * same work; that nothing counts twice does not depend on it, but on dedupe keys.
 */
import { mkdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { spoolFolder } from "./spool.ts";

const touchMs = 5_000;
/** A sender that has not touched its lock for this long does not run, though its process id may be in use. */
const staleMs = 60_000;

const lockPath = (folder: string): string => join(folder, "sender.lock");

/** Whether a sender runs. */
export function isSenderAlive(folder = spoolFolder()): boolean {
  try {
    const pid = Number(readFileSync(lockPath(folder), "utf8").split(" ")[0]);
    if (Date.now() - statSync(lockPath(folder)).mtimeMs > staleMs) return false;
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM"; // it runs as another user
  }
}

export interface SenderLock {
  /** Whether it is still this process that holds the lock. */
  isHeld(): boolean;
  release(): void;
}

/** Takes the lock; null if another sender runs. */
export function takeSenderLock(folder = spoolFolder()): SenderLock | null {
  const path = lockPath(folder);
  const owner = `${process.pid} ${crypto.randomUUID()}`;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (let attempt = 0; attempt < 2; attempt++) {
    try {
      writeFileSync(path, owner, { flag: "wx", mode: 0o600 });
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
  const moved = `${path}.${process.pid}`;
  try {
    renameSync(path, moved);
  } catch {}
  rmSync(moved, { force: true });
}
