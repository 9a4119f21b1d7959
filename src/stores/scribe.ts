/**
 * Hashing and writing are most of what bytes on their way in cost, and on the one thread that answers nobody would be answered
 * meanwhile. So a second thread does both, a block at a time.
 */
import type { FileHandle } from "node:fs/promises";
// @ts-expect-error a program of its own, embedded as the text it is
import program from "./scribe-thread.ts" with { type: "text" };

/** What the thread is asked: to take the next block of a text, or to end the text. */
export interface Order {
  text: number;
  next?: { block: Uint8Array; fd: number | null; position: number };
}

/** What it answers, in the order of asking; the hash at the end. */
export type Said = { sha256?: string } | { failed: { message: string; code?: string } };

/** Handing so little over and back takes longer than hashing it. */
export const hereBytesMax = 128 * 2 ** 10;

/** Memory that both threads see. What is given back is used again: to get it anew takes longer than to fill it. */
export class Memory implements Disposable {
  static readonly #free = new Map<number, Uint8Array[]>();
  readonly #taken: Uint8Array[] = [];

  block(bytes: number): Uint8Array {
    const block = Memory.#free.get(bytes)?.pop() ?? new Uint8Array(new SharedArrayBuffer(bytes));
    this.#taken.push(block);
    return block;
  }

  /** Nobody reads or writes it any more. */
  [Symbol.dispose](): void {
    for (const block of this.#taken.splice(0)) {
      const free = Memory.#free.get(block.length) ?? [];
      Memory.#free.set(block.length, free);
      if (free.length < freeMax) free.push(block);
    }
  }
}

/** As many as there are uploads at once on an ordinary day. */
const freeMax = 8;

/** A text: blocks in their order, hashed, and, where there is a file for them, written behind each other. */
export class Scribe implements Disposable {
  static #count = 0;
  readonly #text = Scribe.#count++;
  /** Of a text that is short. */
  #here: Bun.CryptoHasher | null = null;
  #isOpen = false;
  #size = 0;
  constructor(readonly file: FileHandle | null = null) {}

  /** Until this resolves the block must stay as it is. One at a time. */
  async add(block: Uint8Array): Promise<void> {
    const position = this.#size;
    this.#size += block.length;
    if (position === 0 && block.length <= hereBytesMax) this.#here = new Bun.CryptoHasher("sha256");
    if (this.#here) {
      this.#here.update(block);
      if (this.file) await writeAll(this.file, block, position);
    } else {
      this.#isOpen = true;
      await ask({ text: this.#text, next: { block, fd: this.file?.fd ?? null, position } });
    }
  }

  get size(): number {
    return this.#size;
  }

  /** @returns the hash of everything */
  async end(): Promise<string> {
    if (!this.#isOpen) return (this.#here ?? new Bun.CryptoHasher("sha256")).digest("hex");
    this.#isOpen = false;
    return (await ask({ text: this.#text })) as string;
  }

  /** What is cut off is forgotten. */
  [Symbol.dispose](): void {
    if (this.#isOpen) this.end().catch(() => {});
  }
}

/** The hash of one block alone, in hex. */
export async function hashBlock(block: Uint8Array): Promise<string> {
  using scribe = new Scribe();
  await scribe.add(block);
  return scribe.end();
}

/** A write may take only a part, and says so only by its count. */
async function writeAll(file: FileHandle, block: Uint8Array, position: number): Promise<void> {
  for (let done = 0; done < block.length; ) {
    const { bytesWritten } = await file.write(block, done, block.length - done, position + done);
    if (bytesWritten === 0) throw Object.assign(new Error("nothing was written"), { code: "ENOSPC" });
    done += bytesWritten;
  }
}

type Waiting = PromiseWithResolvers<string | undefined>;

let thread: { worker: Bun.Worker; waiting: Waiting[] } | null = null;

/** One thread for all, started by the first who needs it: more would take turns on the same disk. */
function ask(order: Order): Promise<string | undefined> {
  const { worker, waiting } = (thread ??= startThread());
  const answer: Waiting = Promise.withResolvers();
  // The process may end while the thread waits for it, not while it waits for the thread.
  if (waiting.push(answer) === 1) worker.ref();
  worker.postMessage(order);
  return answer.promise;
}

function startThread() {
  const worker = new Worker(URL.createObjectURL(new File([program], "scribe-thread.ts"))) as unknown as Bun.Worker;
  const waiting: Waiting[] = [];
  worker.addEventListener("message", (event) => {
    const { data: said } = event as unknown as MessageEvent<Said>;
    const first = waiting.shift();
    if (waiting.length === 0) worker.unref();
    if ("failed" in said) first?.reject(Object.assign(new Error(said.failed.message), { code: said.failed.code }));
    else first?.resolve(said.sha256);
  });
  worker.addEventListener("error", ({ message }) => {
    thread = null;
    for (const one of waiting.splice(0)) one.reject(Object.assign(new Error(message), { code: "EIO" }));
  });
  return { worker, waiting };
}
