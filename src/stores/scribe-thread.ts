/** The thread that hashes and writes. Nothing of ours can be imported here at run time: it is started from its text. */
import { writeSync } from "node:fs";
import { setPriority } from "node:os";
import { parentPort } from "node:worker_threads";
import type { Order, Said } from "./scribe.ts";

// Whoever answers goes first. Linux counts that by the thread; elsewhere it would slow down the whole process.
if (process.platform === "linux") setPriority(19);

const hashes = new Map<number, Bun.CryptoHasher>();

parentPort?.on("message", (order: Order) => {
  let said: Said;
  try {
    said = obey(order);
  } catch (error) {
    const { message, code } = error as Error & { code?: string };
    said = { failed: { message, ...(code && { code }) } };
  }
  parentPort?.postMessage(said);
});

function obey({ text, next }: Order): Said {
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

/** A write may take only a part, and says so only by its count. */
function writeAll(fd: number, block: Uint8Array, position: number): void {
  for (let done = 0; done < block.length; ) {
    const written = writeSync(fd, block, done, block.length - done, position + done);
    if (written === 0) throw Object.assign(new Error("nothing was written"), { code: "ENOSPC" });
    done += written;
  }
}
