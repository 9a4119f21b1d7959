/**
 * System calls of a running program: counted, made to fail, or the last thing it does. Only where `strace`
 * may attach.
 */
import { readFileSync } from "node:fs";
import { must, until } from "../support/harness.ts";

/** What makes something last, or tells it: the moments at which a crash could show a half. */
const files = [
  "pwrite64",
  "fsync",
  "fdatasync",
  "ftruncate",
  "link",
  "linkat",
  "rename",
  "renameat2",
  "unlink",
  "unlinkat",
  "mkdir",
  "rmdir",
];
const sockets = ["sendto", "sendmsg", "writev"];

export const callsOf = { files, all: [...files, ...sockets] };

export interface Traced extends AsyncDisposable {
  /** Lets the program go on as it was. */
  detach(): Promise<void>;
}

async function attach(pid: number, flags: string[]): Promise<Traced> {
  const strace = Bun.spawn(["strace", "-f", ...flags, "-p", String(pid)], {
    stdin: "ignore",
    stdout: "ignore",
    stderr: "pipe",
  });
  let output = "";
  const reading = (async () => {
    const decoder = new TextDecoder();
    for await (const chunk of strace.stderr) output += decoder.decode(chunk, { stream: true });
  })();
  await until(() => /attached/.test(output) || strace.exitCode !== null, "strace is attached");
  if (!/attached/.test(output)) throw new Error(`strace: ${output}`);
  const detach = async () => {
    strace.kill("SIGINT");
    await strace.exited;
    await reading;
  };
  return { detach, [Symbol.asyncDispose]: detach };
}

/** Whether this machine lets one process look into another. */
export async function canTrace(): Promise<boolean> {
  if (!Bun.which("strace")) return false;
  const child = Bun.spawn(["sleep", "30"]);
  try {
    await (await attach(child.pid, ["-o", "/dev/null"])).detach();
    return true;
  } catch {
    return false;
  } finally {
    child.kill();
  }
}

/** The n-th such call of a thread ends the program, as if the power went. */
export const killAt = (pid: number, call: string, nth: number): Promise<Traced> =>
  attach(pid, ["-o", "/dev/null", "-e", `trace=${call}`, "-e", `inject=${call}:signal=KILL:when=${nth}`]);

/** The n-th such call of a thread fails; `onwards`: and all that follow. */
export const failAt = (
  pid: number,
  call: string,
  nth: number,
  error: string,
  onwards: boolean,
): Promise<Traced> =>
  attach(pid, [
    "-o",
    "/dev/null",
    "-e",
    `trace=${call}`,
    "-e",
    `inject=${call}:error=${error}:when=${nth}${onwards ? "+" : ""}`,
  ]);

/**
 * Starts a program that is traced from its first call on, until it says so much or ends.
 * @returns its calls; nothing of it runs any more
 */
export async function traceStart(
  command: string[],
  env: Record<string, string>,
  flags: string[],
  place: string,
  words: RegExp,
): Promise<Call[]> {
  const strace = Bun.spawn(["strace", "-f", "-qq", "-s", "48", "-o", place, ...flags, ...command], {
    env,
    stdio: ["ignore", "pipe", "ignore"],
  });
  let output = "";
  for await (const chunk of strace.stdout) {
    output += Buffer.from(chunk).toString();
    if (words.test(output)) break;
  }
  const [, first] = /^(\d+) /.exec(readFileSync(place, "latin1")) ?? [];
  if (words.test(output) && first) process.kill(Number(first), "SIGKILL");
  await strace.exited;
  return callsIn(place);
}

export interface Call {
  thread: string;
  name: string;
  /** As strace prints it, the result included. */
  text: string;
}

/** Every such call of the program while `work` goes on, in order. */
export async function callsDuring(
  pid: number,
  names: string[],
  place: string,
  work: () => Promise<unknown>,
): Promise<Call[]> {
  const traced = await attach(pid, ["-s", "48", "-o", place, "-e", `trace=${names.join(",")}`]);
  await work().finally(traced.detach);
  return callsIn(place);
}

const callsIn = (place: string): Call[] =>
  readFileSync(place, "latin1")
    .split("\n")
    .flatMap((line) => {
      const [, thread, name] = /^(\d+) +(\w+)\(/.exec(line) ?? [];
      return thread && name ? [{ thread, name, text: line }] : [];
    });

/**
 * Each call by name and number, as far as any one thread came: every point at which `killAt` and `failAt` can
 * strike.
 */
export function pointsOf(calls: Call[]): { call: string; nth: number }[] {
  const most = new Map<string, number>();
  for (const own of Map.groupBy(calls, ({ thread, name }) => `${thread} ${name}`).values()) {
    const name = own[0]?.name ?? "";
    most.set(name, Math.max(most.get(name) ?? 0, own.length));
  }
  return [...most].flatMap(([call, count]) =>
    Array.from({ length: count }, (_, index) => ({ call, nth: index + 1 })),
  );
}

/** So many of them, evenly spread. */
export const spread = <T>(all: T[], count: number): T[] =>
  all.length <= count
    ? all
    : Array.from({ length: count }, (_, index) => must(all[Math.floor((index * all.length) / count)]));
