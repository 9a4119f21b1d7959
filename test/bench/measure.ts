/** What the measurements share: a place to work in, processes that end with it, rounds, medians. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** One line of the table: what svc did and what a plain program did, in the same run. */
export interface Result {
  measure: string;
  svc: string;
  ceiling: string;
  ratio: number;
  aim: string;
  reached: boolean;
}

export const heads = ["Measurement", "svc", "Compared with", "Ratio", "Target", "Met"];

export const rowOf = ({ measure, svc, ceiling, ratio, aim, reached }: Result): string[] => [
  ...[measure, svc, ceiling, `${ratio.toFixed(2)} x`, aim],
  aim === "none" ? "" : reached ? "yes" : "no",
];

export interface Place {
  path(name: string): string;
  /** Starts a program that prints its address once it listens. */
  serve(command: string[], env?: Record<string, string>): Promise<string>;
  /**
   * What the server at this address holds, and the most it ever held, in MB; NaN where the system does not
   * tell.
   */
  memory(url: string): number;
  peakMemory(url: string): number;
  /**
   * Processor time that the server at this address took so far, with that of its children that ended; NaN
   * where the system does not tell.
   */
  cpuSeconds(url: string): number;
  /** Starts a program that answers each message with a number. */
  run<M>(command: string[]): (message: M) => Promise<number>;
  /** The third process, which sends the requests. */
  fire: (shots: Shots) => Promise<number>;
  close(): Promise<void>;
}

/** Requests, sent over and over by keep-alive connections, for a time or each once. */
export interface Shots {
  url: string;
  requests: string[];
  /** Of the requests; UTF-8 if absent. */
  encoding?: BufferEncoding;
  connections: number;
  /** Absent: each request once. */
  forMs?: number;
}

export function openPlace(): Place {
  const folder = mkdtempSync(join(tmpdir(), "svc-bench-"));
  const running: Bun.Subprocess[] = [];
  const servers = new Map<string, number>();
  const run = <M>(command: string[]) => {
    const answers: PromiseWithResolvers<number>[] = [];
    const program = Bun.spawn(command, {
      stdio: ["ignore", "inherit", "inherit"],
      ipc: (answer: number) => answers.shift()?.resolve(answer),
      onExit: () => answers.shift()?.reject(new Error(`${command[1]} ended`)),
    });
    running.push(program);
    return (message: M): Promise<number> => {
      const answer = Promise.withResolvers<number>();
      answers.push(answer);
      program.send(message);
      return answer.promise;
    };
  };
  return {
    path: (name) => join(folder, name),
    async serve(command, env = {}) {
      const server = Bun.spawn(command, { cwd: folder, env, stdio: ["ignore", "pipe", "inherit"] });
      running.push(server);
      const address = await addressOf(server);
      servers.set(address, server.pid);
      return address;
    },
    memory: (url) => megabytes("VmRSS", servers.get(url)),
    peakMemory: (url) => megabytes("VmHWM", servers.get(url)),
    cpuSeconds(url) {
      const path = `/proc/${servers.get(url)}/stat`;
      if (!existsSync(path)) return Number.NaN;
      const [, fields = ""] = readFileSync(path, "latin1").split(") ");
      const ticks = fields.split(" ").slice(11, 15).map(Number);
      return ticks.reduce((sum, one) => sum + one, 0) / ticksPerSecond;
    },
    run,
    fire: run<Shots>([process.execPath, join(import.meta.dir, "load.ts")]),
    async close() {
      for (const one of running) one.kill("SIGKILL");
      await Promise.all(running.map((one) => one.exited));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The same shots in every round, and what the server took for them. */
export interface Firing {
  (): Promise<number>;
  /** Of these rates: how many of what a second, and the processor time of one. */
  says(rates: number[], what: string): string;
}

export function firing(place: Place, shots: Shots & { forMs: number }): Firing {
  let [seconds, answers] = [0, 0];
  const sendLoad = async () => {
    const before = place.cpuSeconds(shots.url);
    const rate = await place.fire(shots);
    seconds += place.cpuSeconds(shots.url) - before;
    answers += (rate * shots.forMs) / 1000;
    return rate;
  };
  const cost = () => (Number.isNaN(seconds) ? "" : `, ${((seconds / answers) * 1e6).toFixed(0)} µs CPU each`);
  return Object.assign(sendLoad, {
    says: (rates: number[], what: string) => `${Math.round(median(rates))} ${what}/s${cost()}`,
  });
}

function megabytes(name: "VmRSS" | "VmHWM", pid: number | undefined): number {
  const path = `/proc/${pid}/status`;
  if (!existsSync(path)) return Number.NaN;
  return Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(readFileSync(path, "latin1"))?.[1]) / 1024;
}

/** The unit of Linux. */
const ticksPerSecond = 100;

/** The address in the first line of a server. */
export async function addressOf({ stdout }: Bun.Subprocess<"ignore", "pipe", "inherit">): Promise<string> {
  const reader = stdout.getReader();
  const { value } = await reader.read();
  const address = /http:\/\/\S+/.exec(new TextDecoder().decode(value))?.[0];
  if (!address) throw new Error("the server ended before it listened");
  return address;
}

export const median = (numbers: number[]): number =>
  numbers.toSorted((a, b) => a - b)[numbers.length >> 1] as number;

export type Rounds<N extends string> = Record<N, number[]>;

/**
 * Every run once a round, each round in another order, so that a busy moment of the machine hits all alike.
 */
export async function inRounds<N extends string>(
  count: number,
  runs: Record<N, () => Promise<number>>,
): Promise<Rounds<N>> {
  const names = Object.keys(runs) as N[];
  const found = Object.fromEntries(names.map((name) => [name, []])) as unknown as Rounds<N>;
  for (const name of names) await runs[name](); // warms up
  for (let round = 0; round < count; round++) {
    for (const index of names.keys()) {
      const name = names[(index + round) % names.length] as N;
      found[name].push(await runs[name]());
    }
  }
  return found;
}

/** The median of what the rounds say of two runs. */
export const ratioOf = (ours: number[], theirs: number[]): number =>
  median(ours.map((value, round) => value / (theirs[round] as number)));
