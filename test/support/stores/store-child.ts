/** A child process that runs one store operation and prints the result. */
import { readFile } from "node:fs/promises";
import { hashSource } from "../../../src/files/stores/objects.ts";
import { endless, type Opening, openStore } from "./store-sources.ts";

const [opening, task, key, bytes] = JSON.parse(process.argv[2] as string) as [
  Opening,
  string,
  string,
  number,
];
const store = openStore(opening);
const options = { type: "application/octet-stream", maxBytes: bytes };

/** Sends all bytes but never ends the stream; prints a line and waits. */
async function* unending() {
  yield* endless(bytes);
  process.stdout.write("waiting\n");
  await new Promise(() => setInterval(() => {}, 1000));
}

async function run(): Promise<unknown> {
  if (task === "put") return store.put(key, endless(bytes), options);
  if (task === "put unending") return store.put(key, unending(), options);
  if (task === "get") return hashSource((await store.get(key))?.body ?? unending());
  if (task === "get unprivileged") {
    process.setuid?.(65_534);
    return store.get(key).then((stored) => stored?.size);
  }
  if (task === "copy") return store.copy(key, `${key}.copy`, options);
  throw new Error(`no task ${task}`);
}

const result = await run().catch((error) => ({
  status: error.status,
  message: error.message,
  cause: error.cause?.code,
}));
process.stdout.write(`${JSON.stringify({ result, peakBytes: await peakBytes() })}\n`);

/**
 * Peak memory of this process, in bytes. On Linux `getrusage` starts with the parent's memory, so read VmHWM.
 */
async function peakBytes(): Promise<number> {
  const status = await readFile("/proc/self/status", "utf8").catch(() => "");
  const [, kilobytes] = /^VmHWM:\s+(\d+) kB$/m.exec(status) ?? [];
  return kilobytes ? Number(kilobytes) * 1024 : process.resourceUsage().maxRSS;
}
