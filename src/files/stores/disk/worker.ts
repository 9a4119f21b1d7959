/**
 * The code of both disk worker threads (see worker-pool.ts). It runs from its embedded text, so it may
 * import only types from this project.
 */
import {
  closeSync,
  fsync,
  linkSync,
  mkdirSync,
  openSync,
  realpathSync,
  statSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import { setPriority } from "node:os";
import { dirname } from "node:path";
import { promisify } from "node:util";
import { parentPort, threadName } from "node:worker_threads";
import type { DiskJob, HashJob, SentBytes, WorkerRequest, WorkerResponse, WorkerResult } from "./jobs.ts";

const hashes = new Map<number, Bun.CryptoHasher>();

// Yield the CPU to the thread that serves requests. Priority is per thread on Linux only; elsewhere this
// would slow down the whole process.
if (threadName === "hashing" && process.platform === "linux") setPriority(19);

parentPort?.on("message", async ({ id, job }: WorkerRequest) => {
  let result: WorkerResult;
  try {
    result = "streamId" in job ? updateHash(job) : await run(job);
  } catch (error) {
    const { message, code } = error as Error & { code?: string };
    result = { failed: { message, ...(code && { code }) } };
  }
  parentPort?.postMessage({ id, result } satisfies WorkerResponse);
});

/** Those with a number that this thread got. */
const blocks = new Map<number, Uint8Array>();

function received({ number, block, length }: SentBytes): Uint8Array {
  if (number !== undefined && block) blocks.set(number, block);
  const bytes = block ?? (blocks.get(number as number) as Uint8Array); // safe because: it got it before
  return bytes.subarray(0, length);
}

function updateHash({ streamId, next }: HashJob<SentBytes>): WorkerResult {
  const hash = hashes.get(streamId) ?? new Bun.CryptoHasher("sha256");
  if (!next) {
    hashes.delete(streamId);
    return { sha256: hash.digest("hex") };
  }
  hashes.set(streamId, hash);
  const { fd, position } = next;
  const block = received(next.block);
  if (fd !== null) writeAll(fd, block, position);
  hash.update(block);
  return {};
}

/** Syncs run concurrently with the next job: a disk completes several at little more than the cost of one. */
async function run({ file, bytes, path, folder, upTo }: DiskJob<SentBytes>): Promise<WorkerResult> {
  let sha256: string | undefined;
  try {
    if (bytes) sha256 = await write(file as string, received(bytes));
    if (path) link(file as string, path, folder);
  } finally {
    if (bytes) removeTemporary(file as string);
  }
  await syncFolders(folder, upTo);
  return { ...(sha256 && { sha256 }) };
}

function link(file: string, path: string, folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (realpathSync(folder) !== folder)
    throw Object.assign(new Error("a folder is a symbolic link"), { code: "ELOOP" });
  linkSync(file, path);
}

function removeTemporary(file: string): void {
  try {
    unlinkSync(file);
  } catch {} // cleanup deletes it later
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

/** Creates the folder only if the open fails: it usually exists. */
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

/** Repeats short writes: write(2) may write fewer bytes than given. */
function writeAll(fd: number, block: Uint8Array, position: number): void {
  for (let done = 0; done < block.length; ) {
    const written = writeSync(fd, block, done, block.length - done, position + done);
    if (written === 0) throw Object.assign(new Error("a write returned 0 bytes"), { code: "ENOSPC" });
    done += written;
  }
}

/**
 * Folders whose own entry this thread has synced, each with its inode, which a folder that was deleted and
 * made again does not keep. The folder of one object is not among them: it is new.
 */
const durableFolders = new Map<string, number>();

/**
 * A new directory entry is durable once its folder is synced, and the folders above it as far as they are
 * new: a sync less is 5 to 9 % of the CPU of an upload (`bun run bench uploads`).
 */
async function syncFolders(from: string, upTo: string): Promise<void> {
  const syncing = [syncFolder(from)];
  for (let folder = from; folder !== upTo; folder = dirname(folder)) {
    const [known, inode] = [folder, folder === from ? 0 : statSync(folder).ino];
    if (inode !== 0 && durableFolders.get(known) === inode) continue;
    const synced = syncFolder(dirname(folder));
    syncing.push(inode === 0 ? synced : synced.then(() => void durableFolders.set(known, inode)));
  }
  await Promise.all(syncing);
}

/** Folder syncs that are running, and those queued behind them. */
const running = new Map<string, Promise<void>>();
const waiting = new Map<string, Promise<void>>();

/**
 * Group commit for folders: a sync covers every entry that exists when it begins, so calls made while one
 * runs share the next.
 */
function syncFolder(path: string): Promise<void> {
  const pending = waiting.get(path);
  if (pending) return pending;
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
