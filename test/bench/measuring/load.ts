/**
 * Sends load with wrk, and compares what two programs cost: the CPU time of the server and all its
 * descendants for each request. Requests per second are shown only where wrk was not the limit itself.
 */
import { join } from "node:path";
import { inRounds, median, type Place, type Result, ratioOf } from "./measure.ts";
import { type Measure, resultOf } from "./targets.ts";

export interface Load {
  /** Origin of the server, from `place.serve`. */
  url: string;
  /** Whole HTTP requests, sent in turn. `unique` in one becomes a number that no other request has. */
  requests: (string | Buffer)[];
  connections?: number;
  seconds?: number;
  /** What a request is for, if it is for several: events of a batch. */
  units?: number;
}

export interface Sample {
  answers: number;
  /** Answers per second. */
  rate: number;
  /** CPU seconds of the server for each. */
  cpu: number;
  /** Share of one core that the load tool used. */
  busy: number;
}

/** Of a side that sends nothing. */
export const noSample: Sample = { answers: 0, rate: 0, cpu: 0, busy: 0 };

export type Side = () => Promise<Sample>;

export const unique = "@".repeat(12);
/** Above it the rate may be that of wrk. */
const busyMax = 0.8;
/** Room for the unique numbers of one run. */
const numbersPerRun = 1e7;
/** How often a run without an answer is repeated. */
const attempts = 3;
let runs = 0;

/** Writes the requests once. Each call sends them for some seconds; the first one only warms up, in half the time. */
export async function wrk(place: Place, load: Load): Promise<Side> {
  const { url, requests, connections = 8, seconds = 1, units = 1 } = load;
  const path = place.path(`requests-${++runs}`);
  await Bun.write(
    path,
    requests.flatMap((request) => [`${Buffer.byteLength(request)}\n`, request]),
  );
  const start = () => {
    const first = `${++runs * numbersPerRun}`;
    const script = join(import.meta.dir, "requests.lua");
    const options = ["-t1", `-c${connections}`, `-d${seconds}s`, "--timeout", "60s", "-s", script];
    return Bun.spawn(["wrk", ...options, url, "--", path, first], { stdio: ["ignore", "pipe", "inherit"] });
  };
  const warmUp = async (): Promise<Sample> => {
    const process = start();
    await Bun.sleep(seconds * 500);
    process.kill("SIGINT");
    await process.exited;
    return noSample;
  };
  const measure = async (attemptsLeft: number): Promise<Sample> => {
    const before = place.cpuSeconds(url);
    const process = start();
    const output = await new Response(process.stdout).text();
    await process.exited;
    const cpu = place.cpuSeconds(url) - before;
    const said: { answers: number; seconds: number; failed: number } = JSON.parse(
      output.split("\n").at(-2) ?? "",
    );
    // A machine that is busy with other work may answer none of a few large requests in a second.
    if (said.failed === 0 && said.answers === 0 && attemptsLeft > 0) return measure(attemptsLeft - 1);
    if (said.failed > 0 || said.answers === 0) throw new Error(`${url} failed: ${output}`);
    const answers = said.answers * units;
    const wrkSeconds = Number(process.resourceUsage()?.cpuTime.total) / 1e6;
    return { answers, rate: answers / said.seconds, cpu: cpu / answers, busy: wrkSeconds / said.seconds };
  };
  let isWarm = false;
  return () => {
    if (isWarm) return measure(attempts);
    isWarm = true;
    return warmUp();
  };
}

/** A row: its name in the table of targets, the side of svc, and that of the reference. */
type Comparison<N extends string> = readonly [Measure, svc: N, reference: N];

interface Options<N extends string> {
  /** What one answer is for: `pages`, `events`. */
  unit: string;
  /** Syncs to the disk for each of them, from `countSyncs`. */
  syncs?: Partial<Record<N, number>>;
  /** Of one second each, unless a load says otherwise. */
  rounds?: number;
}

/** Measures all sides in turn, round by round. The ratios are those of CPU. */
export async function compareCpu<N extends string>(
  sides: Record<N, Side>,
  comparisons: Comparison<N>[],
  { unit, syncs = {}, rounds = 3 }: Options<N>,
): Promise<Result[]> {
  const samples = await inRounds(rounds, sides);
  const cell = (side: N) => {
    const count = syncs[side];
    return `${describe(samples[side], unit)}${count === undefined ? "" : `, ${Number(count.toPrecision(2))} syncs each`}`;
  };
  return comparisons.map(([measure, svc, reference]) =>
    resultOf(
      ...([measure, cell(svc), cell(reference)] as const),
      cpuRatio(samples[svc], samples[reference]),
      median(cpuOf(samples[svc])),
    ),
  );
}

export const cpuRatio = (svc: Sample[], reference: Sample[]): number => ratioOf(cpuOf(svc), cpuOf(reference));
export const cpuOf = (samples: Sample[]): number[] => samples.map(({ cpu }) => cpu);

/** `269 µs CPU, 3650 pages/s`; without the rate if the load tool was too busy to know it. */
export function describe(samples: Sample[], unit: string): string {
  const of = (name: keyof Sample) => median(samples.map((sample) => sample[name]));
  const busy = of("busy");
  const rate =
    busy > busyMax
      ? ` (load tool ${Math.round(busy * 100)} % busy)`
      : `, ${Number(of("rate").toPrecision(3))} ${unit}/s`;
  return `${Number((of("cpu") * 1e6).toPrecision(3))} µs CPU${rate}`;
}

/** The text of an HTTP request. */
export function http(
  method: string,
  path: string,
  headers: Record<string, string | number> = {},
  body = "",
): string {
  const fields = {
    Host: "localhost",
    ...headers,
    ...(body && { "Content-Length": Buffer.byteLength(body) }),
  };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${path} HTTP/1.1\r\n${lines.join("")}\r\n${body}`;
}
