/**
 * What keeping a file costs at least: a plain loop that writes a block, hashes it, and syncs at the end.
 * Answers seconds.
 */
import { open, rm } from "node:fs/promises";

const path = process.argv[2] as string;
const block = Buffer.alloc(2 ** 20, "What is sent is the same in every run, and in every block. ");

process.on("message", async (size: number) => {
  const start = performance.now();
  const file = await open(path, "w");
  const hash = new Bun.CryptoHasher("sha256");
  for (let at = 0; at < size; at += block.length) {
    hash.update(block);
    await file.write(block, 0, block.length, at);
  }
  hash.digest("hex");
  await file.sync();
  await file.close();
  const seconds = (performance.now() - start) / 1000;
  await rm(path);
  process.send?.(seconds);
});
