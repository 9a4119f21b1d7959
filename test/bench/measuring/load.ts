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
const warmUpMs = 500;
/** Several short rounds say more than few long ones: what the machine does besides lasts for a second or two. */
const roundMs = { least: 400, most: 1_000 };
/** What is under way when wrk stops costs CPU and is no answer: for each connection one in so many. */
const answersPerConnection = 50;
let runs = 0;

/**
 * Writes the requests once. Each call sends them until there are enough answers; the first one only warms up, and
 * finds out how long that takes.
 */
export async function wrk(place: Place, load: Load): Promise<Side> {
  const { url, requests, connections = 8, units = 1 } = load;
  const path = place.path(`requests-${++runs}`);
  await Bun.write(
    path,
    requests.flatMap((request) => [`${Buffer.byteLength(request)}\n`, request]),
  );
  const send = async (ms: number): Promise<Sample> => {
    const script = join(import.meta.dir, "requests.lua");
    const options = ["-t1", `-c${connections}`, "-d60s", "--timeout", "60s", "-s", script];
    const before = place.cpuSeconds(url);
    const process = Bun.spawn(["wrk", ...options, url, "--", path, `${++runs * numbersPerRun}`], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    await Bun.sleep(ms);
    process.kill("SIGINT"); // from then on it tells what came of it
    const output = await new Response(process.stdout).text();
    await process.exited;
    const cpu = place.cpuSeconds(url) - before;
    const said: { answers: number; seconds: number; failed: number } = JSON.parse(
      output.split("\n").at(-2) ?? "",
    );
    if (said.failed > 0) throw new Error(`${url} failed: ${output}`);
    const answers = said.answers * units;
    const wrkSeconds = Number(process.resourceUsage()?.cpuTime.total) / 1e6;
    return { answers, rate: answers / said.seconds, cpu: cpu / answers, busy: wrkSeconds / said.seconds };
  };
  let ms = 0;
  return async () => {
    if (ms === 0) {
      const { rate } = await send(warmUpMs);
      const answers = connections * answersPerConnection * units;
      ms = Math.min(Math.max((answers * 1_000) / rate, roundMs.least), roundMs.most);
      return noSample;
    }
    // A machine that is busy with other work may answer none of a few large requests in a second.
    for (let attempt = 0; attempt < attempts; attempt++) {
      const sample = await send(ms);
      if (sample.answers > 0) return sample;
    }
    throw new Error(`${url} does not answer`);
  };
}

/** A row: its name in the table of targets, the side of svc, and that of the reference. */
type Comparison<N extends string> = readonly [Measure, svc: N, reference: N];

interface Options<N extends string> {
  /** What one answer is for: `pages`, `events`. */
  unit: string;
  /** Syncs to the disk for each of them, from `countSyncs`. */
  syncs?: Partial<Record<N, number>>;
  rounds?: number;
}

/** Measures all sides in turn, round by round. The ratios are those of CPU. */
export async function compareCpu<N extends string>(
  sides: Record<N, Side>,
  comparisons: Comparison<N>[],
  { unit, syncs = {}, rounds = 5 }: Options<N>,
): Promise<Result[]> {
  const samples = await inRounds(rounds, sides);
  const cell = (side: N) => {
    const count = syncs[side];
    return `${describe(samples[side], unit)}${count === undefined ? "" : `, ${Number(count.toPrecision(2))} syncs each`}`;
  };
  return comparisons.map(([measure, svc, reference]) => {
    const ours = cpuOf(samples[svc]);
    const ratio = ratioOf(ours, cpuOf(samples[reference]));
    return { ...resultOf(measure, cell(svc), cell(reference), ratio, median(ours)), rounds: ours };
  });
}

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
