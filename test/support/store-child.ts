/** A process that does one thing with a store, and says on standard output how it went. */
import { readFile } from "node:fs/promises";
import { hashSource } from "../../src/stores/objects.ts";
import { endless, type Opening, openStore } from "./store-sources.ts";

const [opening, task, key, bytes] = JSON.parse(process.argv[2] as string) as [
  Opening,
  string,
  string,
  number,
];
const store = openStore(opening);
const options = { type: "application/octet-stream", maxBytes: bytes };

/** Gives everything but the end, then says so and waits. */
async function* unending() {
  yield* endless(bytes);
  process.stdout.write("waiting\n");
  await new Promise(() => setInterval(() => {}, 1000));
}

async function run(): Promise<unknown> {
  if (task === "put") return store.put(key, endless(bytes), options);
  if (task === "put unending") return store.put(key, unending(), options);
  if (task === "get") return hashSource((await store.get(key))?.body ?? unending());
  if (task === "get as nobody") {
    process.setuid?.(65_534);
    return store.get(key).then((stored) => stored?.size);
  }
  if (task === "copy") return store.copy(key, `${key}.copy`, options);
  throw new Error(`no task ${task}`);
}

const said = await run().catch((error) => ({
  status: error.status,
  message: error.message,
  cause: error.cause?.code,
}));
process.stdout.write(`${JSON.stringify({ said, peakBytes: await peakBytes() })}\n`);

/**
 * Most memory that this process ever held. What `getrusage` says begins with the memory of the parent, on
 * Linux.
 */
async function peakBytes(): Promise<number> {
  const status = await readFile("/proc/self/status", "utf8").catch(() => "");
  const [, kilobytes] = /^VmHWM:\s+(\d+) kB$/m.exec(status) ?? [];
  return kilobytes ? Number(kilobytes) * 1024 : process.resourceUsage().maxRSS;
}
