/** What the measurements share: a place to work in, processes that end with it, rounds, medians. */
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Postgres, type PostgresOptions, startPostgres } from "../../support/database/postgres.ts";
import { madeFolder } from "./copied-database.ts";
import type { Mix } from "./mixes.ts";
import { cpuSeconds, memory, processTree } from "./process-cost.ts";

/** One line of the table: what svc did and what a plain program did, in the same run. */
export interface Result {
  measure: string;
  svc: string;
  ceiling: string;
  ratio: number;
  aim: string;
  reached: boolean;
  /** What svc takes for it, in any unit: less is better. Commits are compared by it. */
  amount: number;
  /** CPU of each round, or time where that is meant: commits take turns in every round, and are compared by it. */
  rounds?: number[];
}

/** A measurement that only waits from now on: the next ones run meanwhile. */
export interface Waiting {
  results: Promise<Result[]>;
}

export const heads = ["Measurement", "svc", "Compared with", "Ratio", "Target", "Met"];

export const rowOf = ({ measure, svc, ceiling, ratio, aim, reached }: Result): string[] => [
  ...[measure, svc, ceiling, `${ratio.toFixed(2)} x`, aim],
  aim === "none" ? "" : reached ? "yes" : "no",
];

/** Prints a table: after each measurement, as a long benchmark should show its progress. */
export function printRows(heads: readonly string[], rows: readonly string[][]): void {
  const widths = heads.map((head, column) =>
    Math.max(head.length, ...rows.map((row) => (row[column] as string).length)),
  );
  for (const row of [heads, ...rows])
    process.stdout.write(
      `${row
        .map((cell, column) => cell.padEnd(widths[column] as number))
        .join("  ")
        .trimEnd()}\n`,
    );
}

/** The data of an empty Postgres. */
const template = join(madeFolder, "postgres");

/** What the command line says of a run. */
export interface Options {
  mix: Mix;
  /** Events in the logs of `growth`, the smaller first; sessions of `agents`. */
  sizes?: number[];
}

export interface Place {
  path(name: string): string;
  /** Starts a program that prints its address once it listens. */
  serve(command: string[], env?: Record<string, string>): Promise<string>;
  /** Kills the server at this URL. */
  stop(url: string): Promise<void>;
  /** Resident memory of the server at this URL, and its peak, in MB. */
  memory(url: string): number;
  peakMemory(url: string): number;
  /** CPU seconds so far of the server at this URL and all its descendants. */
  cpuSeconds(url: string): number;
  /** Counts a further process and its descendants as part of the server: its Postgres. */
  addProcess(url: string, pid: number): void;
  /** The processes of the server at this URL. */
  pids(url: string): number[];
  /** Starts a Postgres that stops once the programs that ask it have ended. */
  startPostgres(options: PostgresOptions): Promise<Postgres>;
  /** Starts a program that answers each message, with a number unless said otherwise. */
  run<M, A = number>(command: string[], env?: Record<string, string>): (message: M) => Promise<A>;
  close(): Promise<void>;
}

const places = new Set<Place>();

/** Closes all that are open, as a process that is ended early does. */
export const closePlaces = (): Promise<unknown> => Promise.all([...places].map((place) => place.close()));

export function openPlace(): Place {
  const folder = mkdtempSync(join(tmpdir(), "svc-bench-"));
  chmodSync(folder, 0o711); // Postgres may run as another user
  const running: Bun.Subprocess[] = [];
  const databases: Postgres[] = [];
  const servers = new Map<string, number[]>();
  const pidsOf = (url: string): number[] => {
    const pids = servers.get(url);
    if (!pids) throw new Error(`no server runs at ${url}`);
    return pids;
  };
  const run = <M, A = number>(command: string[], env: Record<string, string> = {}) => {
    const answers: PromiseWithResolvers<A>[] = [];
    const program = Bun.spawn(command, {
      stdio: ["ignore", "inherit", "inherit"],
      env: { ...process.env, ...env },
      ipc: (answer: A) => answers.shift()?.resolve(answer),
      onExit: () => answers.shift()?.reject(new Error(`${command[1]} ended`)),
    });
    running.push(program);
    return (message: M): Promise<A> => {
      const answer = Promise.withResolvers<A>();
      answers.push(answer);
      program.send(message);
      return answer.promise;
    };
  };
  const place: Place = {
    path: (name) => join(folder, name),
    async serve(command, env = {}) {
      const server = Bun.spawn(command, { cwd: folder, env, stdio: ["ignore", "pipe", "inherit"] });
      running.push(server);
      const address = await addressOf(server);
      servers.set(address, [server.pid]);
      return address;
    },
    async stop(url) {
      const [pid] = pidsOf(url);
      process.kill(pid as number, "SIGKILL");
      await running.find((one) => one.pid === pid)?.exited;
    },
    memory: (url) => memory(pidsOf(url)[0] as number, "VmRSS"),
    peakMemory: (url) => memory(pidsOf(url)[0] as number, "VmHWM"),
    cpuSeconds: (url) => pidsOf(url).reduce((sum, pid) => sum + cpuSeconds(pid), 0),
    addProcess: (url, pid) => pidsOf(url).push(pid),
    pids: (url) => pidsOf(url).flatMap(processTree),
    async startPostgres(options) {
      const database = await startPostgres({ ...options, template });
      databases.push(database);
      return database;
    },
    run,
    async close() {
      // With their descendants: a server under strace outlives it.
      for (const one of running)
        if (one.exitCode === null && one.signalCode === null)
          for (const pid of processTree(one.pid)) process.kill(pid, "SIGKILL");
      await Promise.all(running.map((one) => one.exited));
      await Promise.all(databases.map((database) => database.stop()));
      rmSync(folder, { recursive: true, force: true });
      places.delete(place);
    },
  };
  places.add(place);
  return place;
}

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

let turn = async (): Promise<void> => {};

/** What is measured from here on is not beside what the other side of a comparison does: `--against`. */
export const waitForTurn = (): Promise<void> => turn();

/** @param wait ends when it is the turn of this process */
export function takeTurns(wait: () => Promise<void>): void {
  turn = wait;
}

/**
 * Every run once a round, each round in another order, so that a busy moment of the machine hits all alike.
 */
export async function inRounds<N extends string, T = number>(
  count: number,
  runs: Record<N, () => Promise<T>>,
): Promise<Record<N, T[]>> {
  const names = Object.keys(runs) as N[];
  const found = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<N, T[]>;
  for (const name of names) {
    await waitForTurn();
    await runs[name](); // warms up
  }
  for (let round = 0; round < count; round++) {
    for (const index of names.keys()) {
      const name = names[(index + round) % names.length] as N;
      await waitForTurn();
      found[name].push(await runs[name]());
    }
  }
  return found;
}

/** The median of what the rounds say of two runs. */
export const ratioOf = (ours: number[], theirs: number[]): number =>
  median(ours.map((value, round) => value / (theirs[round] as number)));
