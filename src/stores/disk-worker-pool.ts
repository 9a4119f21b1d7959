/**
 * Hashing and writing are most of what bytes on their way in cost, and on the one thread that answers nobody
 * would be answered meanwhile. So a second thread does both, a block at a time. What is left then are many
 * short calls of the disk, each of which would go back and forth: a third thread makes them in one errand,
 * with the bytes where they are few.
 */
import type { FileHandle } from "node:fs/promises";
// @ts-expect-error a program of its own, embedded as the text it is
import program from "./disk-worker.ts" with { type: "text" };

/** To take the next block of a text, or to end the text. */
export interface Text {
  text: number;
  next?: { block: Uint8Array; fd: number | null; position: number };
}

/** To write a new file, to give it another name, and to see both onto the disk: each where it is said. */
export interface Errand {
  file?: string;
  bytes?: Uint8Array;
  /** Never over another file. */
  path?: string;
  /**
   * What holds that name. It and the folders that lead there from `upTo` are made where they are missing, and
   * are no links.
   */
  folder: string;
  upTo: string;
}

/** What the thread is asked, and what it answers: the hash of a text, or of what an errand wrote. */
export interface Order {
  number: number;
  work: Text | Errand;
}
export type Outcome = { sha256?: string } | { failed: { message: string; code?: string } };
type Answer = Pick<Order, "number"> & { outcome: Outcome };

/**
 * So little is handed over as a whole, or, where it is only to be hashed, not at all: that would take longer.
 */
export const hereBytesMax = 128 * 2 ** 10;

/**
 * Memory that both threads see. What is given back is used again: to get it anew takes longer than to fill
 * it.
 */
export class Memory implements Disposable {
  static readonly #free = new Map<number, Uint8Array[]>();
  readonly #taken: Uint8Array[] = [];

  block(bytes: number): Uint8Array {
    const block = Memory.#free.get(bytes)?.pop() ?? new Uint8Array(new SharedArrayBuffer(bytes));
    this.#taken.push(block);
    return block;
  }

  /** The same few bytes, where both threads see them. */
  shared(bytes: Uint8Array): Uint8Array {
    const block = this.block(hereBytesMax).subarray(0, bytes.length);
    block.set(bytes);
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
    if (bytesWritten === 0) throw Object.assign(new Error("a write returned 0 bytes"), { code: "ENOSPC" });
    done += bytesWritten;
  }
}

/** The file, and of bytes their hash, are on the disk when this resolves. */
export const carryOut = (errand: Errand): Promise<string | undefined> => ask(errand);

interface Thread {
  worker: Bun.Worker;
  waiting: Map<number, PromiseWithResolvers<string | undefined>>;
}

const threads: Partial<Record<"texts" | "errands", Thread>> = {};
let orders = 0;

/**
 * One thread for all texts, started by the first who needs it: more would take turns on the same disk. And
 * one for all errands: they are short, and somebody waits for each.
 */
function ask(work: Order["work"]): Promise<string | undefined> {
  const kind = "text" in work ? "texts" : "errands";
  const { worker, waiting } = (threads[kind] ??= startThread(kind));
  const answer = Promise.withResolvers<string | undefined>();
  const number = orders++;
  waiting.set(number, answer);
  // The process may end while the thread waits for it, not while it waits for the thread.
  if (waiting.size === 1) worker.ref();
  worker.postMessage({ number, work } satisfies Order);
  return answer.promise;
}

function startThread(kind: keyof typeof threads): Thread {
  const worker = new Worker(
    URL.createObjectURL(new File([program], "scribe-thread.ts")),
  ) as unknown as Bun.Worker;
  const waiting: Thread["waiting"] = new Map();
  worker.addEventListener("message", (event) => {
    const { number, outcome } = (event as unknown as MessageEvent<Answer>).data;
    const asked = waiting.get(number);
    waiting.delete(number);
    if (waiting.size === 0) worker.unref();
    if ("failed" in outcome)
      asked?.reject(Object.assign(new Error(outcome.failed.message), { code: outcome.failed.code }));
    else asked?.resolve(outcome.sha256);
  });
  worker.addEventListener("error", ({ message }) => {
    delete threads[kind];
    for (const asked of waiting.values()) asked.reject(Object.assign(new Error(message), { code: "EIO" }));
    waiting.clear();
  });
  return { worker, waiting };
}
