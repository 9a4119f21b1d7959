/**
 * A thread that hashes and writes, or one that runs errands. Nothing of ours can be imported here at run
 * time: it is started from its text.
 */
import { closeSync, fsync, linkSync, mkdirSync, openSync, realpathSync, writeSync } from "node:fs";
import { setPriority } from "node:os";
import { dirname } from "node:path";
import { promisify } from "node:util";
import { parentPort } from "node:worker_threads";
import type { Errand, Order, Outcome, Text } from "./disk-worker-pool.ts";

const hashes = new Map<number, Bun.CryptoHasher>();
let isNice = false;

parentPort?.on("message", async ({ number, work }: Order) => {
  let outcome: Outcome;
  try {
    outcome = "text" in work ? obey(work) : await run(work);
  } catch (error) {
    const { message, code } = error as Error & { code?: string };
    outcome = { failed: { message, ...(code && { code }) } };
  }
  parentPort?.postMessage({ number, outcome });
});

function obey({ text, next }: Text): Outcome {
  // Whoever answers goes first. Linux counts that by the thread; elsewhere it would slow down the whole
  // process.
  if (!isNice && process.platform === "linux") setPriority(19);
  isNice = true;
  const hash = hashes.get(text) ?? new Bun.CryptoHasher("sha256");
  if (!next) {
    hashes.delete(text);
    return { sha256: hash.digest("hex") };
  }
  hashes.set(text, hash);
  const { block, fd, position } = next;
  if (fd !== null) writeAll(fd, block, position);
  hash.update(block);
  return {};
}

/**
 * What waits for the disk lets the next errand begin: the disk does several at once for little more than one.
 */
async function run({ file, bytes, path, folder, upTo }: Errand): Promise<Outcome> {
  const sha256 = bytes && (await write(file as string, bytes));
  if (path) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    if (realpathSync(folder) !== folder)
      throw Object.assign(new Error("a folder is a symbolic link"), { code: "ELOOP" });
    linkSync(file as string, path);
  }
  await syncFolders(folder, upTo);
  return { ...(sha256 && { sha256 }) };
}

const sync = promisify(fsync);

async function write(file: string, bytes: Uint8Array): Promise<string> {
  const fd = openNew(file);
  try {
    writeAll(fd, bytes, 0);
    const syncing = sync(fd);
    const sha256 = Bun.CryptoHasher.hash("sha256", bytes, "hex");
    await syncing;
    return sha256;
  } finally {
    closeSync(fd);
  }
}

/** Its folder is made where it is missing: mostly it is there. */
function openNew(file: string): number {
  const open = () => openSync(file, "wx", 0o600);
  try {
    return open();
  } catch (error) {
    if ((error as { code?: string }).code !== "ENOENT") throw error;
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    return open();
  }
}

/** A write may take only a part, and says so only by its count. */
function writeAll(fd: number, block: Uint8Array, position: number): void {
  for (let done = 0; done < block.length; ) {
    const written = writeSync(fd, block, done, block.length - done, position + done);
    if (written === 0) throw Object.assign(new Error("a write returned 0 bytes"), { code: "ENOSPC" });
    done += written;
  }
}

/** A new name is on the disk once the folder that holds it is, and the folders that lead there. */
async function syncFolders(from: string, upTo: string): Promise<void> {
  const syncing = [syncFolder(from)];
  for (let folder = from; folder !== upTo; ) syncing.push(syncFolder((folder = dirname(folder))));
  await Promise.all(syncing);
}

/** Syncs of folders: those that run, and those that begin when they are done. */
const running = new Map<string, Promise<void>>();
const waiting = new Map<string, Promise<void>>();

/**
 * One sync tells of every name that is there when it begins. So who asks while one runs waits for the next,
 * together with all others.
 */
function syncFolder(path: string): Promise<void> {
  const known = waiting.get(path);
  if (known) return known;
  const begin = () => {
    waiting.delete(path);
    const work = syncNow(path).finally(() => running.delete(path));
    running.set(path, work);
    return work;
  };
  const next = (running.get(path) ?? Promise.resolve()).then(begin, begin);
  waiting.set(path, next);
  return next;
}

async function syncNow(folder: string): Promise<void> {
  const fd = openSync(folder, "r");
  try {
    await sync(fd);
  } finally {
    closeSync(fd);
  }
}
