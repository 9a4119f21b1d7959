/**
 * Two worker threads that keep disk work off the main thread, which serves requests. One hashes and writes
 * the blocks of uploads, most of what an upload costs. The other runs the remaining short system calls (write
 * a small file, link it, sync its folders) as one job, which saves a round trip per call. A file of one block
 * is one job of the first.
 */
import type { FileHandle } from "node:fs/promises";
import type { DiskJob, HashJob, SentBytes, WorkerRequest, WorkerResponse } from "./jobs.ts";
// @ts-expect-error a program of its own, embedded as the text it is
import program from "./worker.ts" with { type: "text" };

/**
 * A file of at most this size is handed over as one job. If it only needs hashing, the main thread does it: a
 * round trip to the worker takes longer.
 */
export const inlineBytesMax = 128 * 2 ** 10;

/** Numbers of the blocks that are used again, for as long as the process runs. */
const blockNumbers = new WeakMap<ArrayBufferLike, number>();
let numberCount = 0;

/** Blocks used again per size: about one per concurrent upload. Those beyond it are used once. */
const reusedBlocksMax = 8;

/**
 * Blocks of shared memory, leased from a pool until disposed: allocating a block takes longer than filling
 * it.
 */
export class PooledBlocks implements Disposable {
  static readonly #pools = new Map<number, { free: Uint8Array[]; count: number }>();
  readonly #leased: Uint8Array[] = [];

  block(bytes: number): Uint8Array {
    const pool = PooledBlocks.#pools.get(bytes) ?? { free: [], count: 0 };
    PooledBlocks.#pools.set(bytes, pool);
    let block = pool.free.pop();
    if (!block) {
      block = new Uint8Array(new SharedArrayBuffer(bytes));
      if (pool.count++ < reusedBlocksMax) blockNumbers.set(block.buffer, numberCount++);
    }
    this.#leased.push(block);
    return block;
  }

  /** Copies a small file (at most `inlineBytesMax`) to shared memory. */
  copyToShared(bytes: Uint8Array): Uint8Array {
    const block = this.block(inlineBytesMax).subarray(0, bytes.length);
    block.set(bytes);
    return block;
  }

  /** Returns the blocks to the pool. Nothing may use them afterwards. */
  [Symbol.dispose](): void {
    for (const block of this.#leased.splice(0))
      if (blockNumbers.has(block.buffer)) PooledBlocks.#pools.get(block.length)?.free.push(block);
  }
}

/** Hashes a stream of blocks and, if given a file, writes them to it in order. */
export class HashingWriter implements Disposable {
  static #count = 0;
  readonly #streamId = HashingWriter.#count++;
  /** Set for a stream that begins with a small block: hashed on the main thread. */
  #inlineHash: Bun.CryptoHasher | null = null;
  #isOnWorker = false;
  #size = 0;
  constructor(readonly file: FileHandle | null = null) {}

  /** The block must not change until this resolves. One call at a time. */
  async add(block: Uint8Array): Promise<void> {
    const position = this.#size;
    this.#size += block.length;
    if (position === 0 && block.length <= inlineBytesMax) this.#inlineHash = new Bun.CryptoHasher("sha256");
    if (this.#inlineHash) {
      this.#inlineHash.update(block);
      if (this.file) await writeAll(this.file, block, position);
    } else {
      this.#isOnWorker = true;
      await sendHash({ streamId: this.#streamId, next: { block, fd: this.file?.fd ?? null, position } });
    }
  }

  get size(): number {
    return this.#size;
  }

  /** @returns the SHA-256 of all blocks, in hex */
  async end(): Promise<string> {
    if (!this.#isOnWorker) return (this.#inlineHash ?? new Bun.CryptoHasher("sha256")).digest("hex");
    this.#isOnWorker = false;
    return (await sendHash({ streamId: this.#streamId })) as string;
  }

  /** Drops the worker's state of a stream that was never ended. */
  [Symbol.dispose](): void {
    if (this.#isOnWorker) this.end().catch(() => {});
  }
}

/** Returns the SHA-256 of one block, in hex. */
export async function hashBlock(block: Uint8Array): Promise<string> {
  using writer = new HashingWriter();
  await writer.add(block);
  return writer.end();
}

/** Repeats short writes: write(2) may write fewer bytes than given. */
async function writeAll(file: FileHandle, block: Uint8Array, position: number): Promise<void> {
  for (let done = 0; done < block.length; ) {
    const { bytesWritten } = await file.write(block, done, block.length - done, position + done);
    if (bytesWritten === 0) throw Object.assign(new Error("a write returned 0 bytes"), { code: "ENOSPC" });
    done += bytesWritten;
  }
}

/** One thread for all hash streams, started on first use: more would only compete for the same disk. */
function sendHash({ streamId, next }: HashJob): Promise<string | undefined> {
  const thread = threadOf("hashing");
  return send(thread, { streamId, ...(next && { next: { ...next, block: toSend(thread, next.block) } }) });
}

/**
 * Runs a job on the thread for disk jobs, which are short, and resolves once everything is durable. One that
 * writes more than a small file goes to the thread for hash streams.
 * @returns the SHA-256 of `bytes`, in hex, if the job wrote any
 */
export function runDiskJob({ bytes, ...job }: DiskJob): Promise<string | undefined> {
  const thread = threadOf(bytes && bytes.length > inlineBytesMax ? "hashing" : "jobs");
  return send(thread, { ...job, ...(bytes && { bytes: toSend(thread, bytes) }) });
}

interface Thread {
  worker: Bun.Worker;
  waiting: Map<number, PromiseWithResolvers<string | undefined>>;
  /** Numbers of the blocks that it has. */
  blocks: Set<number>;
}

const threads: Partial<Record<"hashing" | "jobs", Thread>> = {};
let requestCount = 0;

const threadOf = (kind: keyof typeof threads): Thread => (threads[kind] ??= startThread(kind));

function toSend({ blocks }: Thread, bytes: Uint8Array): SentBytes {
  const { buffer, byteOffset, length } = bytes;
  const number = byteOffset === 0 ? blockNumbers.get(buffer) : undefined;
  if (number === undefined) return { block: bytes, length };
  if (blocks.has(number)) return { number, length };
  blocks.add(number);
  return { number, block: new Uint8Array(buffer), length };
}

function send({ worker, waiting }: Thread, job: WorkerRequest["job"]): Promise<string | undefined> {
  const response = Promise.withResolvers<string | undefined>();
  const id = requestCount++;
  waiting.set(id, response);
  // The worker keeps the process alive only while a request is pending.
  if (waiting.size === 1) worker.ref();
  worker.postMessage({ id, job } satisfies WorkerRequest);
  return response.promise;
}

function startThread(kind: keyof typeof threads): Thread {
  const worker = new Worker(URL.createObjectURL(new File([program], "disk-worker.ts")), {
    name: kind,
  }) as unknown as Bun.Worker;
  const waiting: Thread["waiting"] = new Map();
  worker.addEventListener("message", (event) => {
    const { id, result } = (event as unknown as MessageEvent<WorkerResponse>).data;
    const response = waiting.get(id);
    waiting.delete(id);
    if (waiting.size === 0) worker.unref();
    if ("failed" in result)
      response?.reject(Object.assign(new Error(result.failed.message), { code: result.failed.code }));
    else response?.resolve(result.sha256);
  });
  worker.addEventListener("error", ({ message }) => {
    delete threads[kind];
    for (const response of waiting.values())
      response.reject(Object.assign(new Error(message), { code: "EIO" }));
    waiting.clear();
  });
  return { worker, waiting, blocks: new Set() };
}
