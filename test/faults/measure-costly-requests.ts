/**
 * Measures the costliest requests, as a table: one of each on a fresh server, and ten at a time.
 * `bun test/faults/measure-costly-requests.ts [part of a route or name]`
 */
import { readFileSync } from "node:fs";
import { linkIn, migratedDatabase, type Server, startServer, temporaryFolder } from "../support/harness.ts";
import type { CostlyRequest } from "./costly-request.ts";
import { costlyRequests } from "./costly-requests.ts";

export const secrets = { SVC_GITEA_WEBHOOK_SECRET: "a secret", SVC_GITLAB_WEBHOOK_SECRET: "a secret" };

export interface Cost {
  /** Bytes of the body as it was sent. */
  sent: number;
  statuses: number[];
  /** CPU seconds of all threads of the server. */
  cpu: number;
  /** MB by which its resident memory grew, at most. */
  memory: number;
  /** The longest wait of `/healthz` meanwhile, in milliseconds. */
  health: number;
}

function usageOf(pid: number): Pick<Cost, "cpu" | "memory"> {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
    .replace(/\(.*\)/, "x")
    .split(" ");
  const peak = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  return { cpu: (Number(fields[13]) + Number(fields[14])) / 100, memory: Number(peak) / 1024 };
}

/** Asks for `/healthz` in a thread of its own: sending the bodies keeps this one busy. */
const pollHealth = `
  let [longest, isOver] = [0, false];
  onmessage = async ({ data: url }) => {
    if (url === null) return void (isOver = true);
    postMessage("started");
    while (!isOver) {
      const started = performance.now();
      await fetch(url).then((response) => response.text());
      longest = Math.max(longest, performance.now() - started);
      await Bun.sleep(5);
    }
    postMessage(longest);
  };
`;

/** Calls a worker once. */
const ask = (worker: Worker, message: unknown): Promise<unknown> =>
  new Promise((resolve) => {
    worker.onmessage = ({ data }) => resolve(data);
    worker.postMessage(message);
  });

/** A server of its own, with the project `atlas`, for one measurement. */
export async function measure(request: CostlyRequest, count: number): Promise<Cost> {
  await using database = await migratedDatabase("sqlite");
  await using folder = await temporaryFolder();
  await linkIn(database);
  const env = { SVC_DATABASE_URL: database.url, SVC_DATA_DIR: folder.path, ...secrets };
  await using server = await startServer(database, env);
  return await measureOn(server, request, count);
}

/** Sends the request a number of times at once. */
export async function measureOn(server: Server, request: CostlyRequest, count: number): Promise<Cost> {
  const { route, query = "", headers, body } = request;
  const [method, path] = route.split(" ") as [string, string];
  const bytes = body?.();
  await fetch(`${server.origin}/mcp`, { method: "POST", body: "{}" });
  const worker = new Worker(URL.createObjectURL(new Blob([pollHealth])));
  await ask(worker, `${server.origin}/healthz`);
  await Bun.sleep(100);
  const before = usageOf(server.process.pid);
  const send = async () => {
    const signal = AbortSignal.timeout(120_000);
    const sent = bytes ? { body: new Blob([bytes as Uint8Array<ArrayBuffer>]) } : {};
    const response = await fetch(server.origin + path + query, { method, headers, signal, ...sent });
    await response.bytes();
    return response.status;
  };
  const statuses = await Promise.all(Array.from({ length: count }, send));
  const after = usageOf(server.process.pid);
  const health = Number(await ask(worker, null));
  worker.terminate();
  const [cpu, memory] = [after.cpu - before.cpu, after.memory - before.memory];
  return { sent: bytes?.length ?? 0, statuses: [...new Set(statuses)].toSorted(), cpu, memory, health };
}

const cells = ({ statuses, cpu, memory, health }: Cost): string =>
  `${statuses.join(", ")} | ${cpu.toFixed(2)} s | ${memory.toFixed(0)} MB | ${health.toFixed(0)} ms`;

if (import.meta.main) {
  const part = process.argv[2] ?? "";
  for (const request of costlyRequests) {
    if (!`${request.route} ${request.what}`.includes(part)) continue;
    const [one, ten] = [await measure(request, 1), await measure(request, 10)];
    const sent = `${Math.ceil(one.sent / 1024)} KB`;
    process.stdout.write(`| ${request.route} | ${request.what}, ${sent} | ${cells(one)} | ${cells(ten)} |\n`);
  }
}
