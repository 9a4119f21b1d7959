/**
 * What a log costs when it has grown: the median of every read on it beside that of the same read on a small
 * one, in turns; bytes for each event; how fast it takes more. Numbers on the command line are its sizes, the
 * first one the small one.
 */
import { Database } from "bun:sqlite";
import { SQL } from "bun";
import { cacheKib } from "../../../db/engine/sqlite.ts";
import { openData } from "../../../db/open.ts";
import type { Data } from "../../../src/api/port.ts";
import { adminCaller } from "../../../src/core/auth/caller.ts";
import { recall } from "../../../src/memory/recall/recall.ts";
import { startPostgres } from "../../support/database/postgres.ts";
import { sizeOfFile, sizeOfPostgres, sizeRows } from "../measuring/database-size.ts";
import { median, type Options, type Place, type Result } from "../measuring/measure.ts";
import { calls, ctx, type Log, type Read, reads } from "./growth-reads.ts";
import { appendMore, fillFile, verbs } from "./long-log.ts";
import { appendSamples, fillPostgres } from "./long-log-postgres.ts";
import { seedProjects } from "./seed-projects.ts";

const quick = [10_000, 200_000];
/** So often everything is read before. */
const early = 4;
/** After this time a slow read is read only so often. */
const patienceMs = 20_000;
const leastCalls = 20;
const ratioMost = 1.5;
const more = 20_000;
const now = () => Date.now() * 1000;
const open = (url: string) => openData(url, { now, log() {} });

export async function measureGrowth(
  place: Place,
  _svc: string,
  { sizes = quick }: Options,
): Promise<Result[]> {
  const [least = 0, ...larger] = sizes;
  const small = await filled(place, "small", least);
  const results: Result[] = [];
  for (const count of larger) {
    const large = await filled(place, "large", count);
    results.push(...(await compared("sqlite", small, large)));
    results.push(await firstRecall("sqlite", small, large), await appendRateOfFile(place, small, large));
    results.push(...sizeRows("in one file", sizeOfFile(place.path("large.db")), count));
    await closed(large);
    await Bun.file(place.path("large.db")).delete();
  }
  await closed(small);
  return results;
}

type Partitions = "year" | null;

export const measureGrowthOnPostgres = (_place: Place, _svc: string, options: Options): Promise<Result[]> =>
  measureOnPostgres(options, null);

/** With a partition for each year. `TMPDIR` names a disk for it: 140 GB for a hundred million events. */
export const measureGrowthOfPartitions = (_place: Place, _svc: string, options: Options): Promise<Result[]> =>
  measureOnPostgres(options, "year");

async function measureOnPostgres(
  { sizes: [least = 0, ...larger] = quick }: Options,
  partitions: Partitions,
): Promise<Result[]> {
  const results: Result[] = [];
  const server = await startPostgres({ durable: false, cacheMb: 1024 });
  try {
    const small = { data: await filledAnew(server.url, least, partitions), count: least };
    for (const count of larger) results.push(...(await comparedOnPostgres(small, count, partitions)));
    await small.data.close();
  } finally {
    await server.stop();
  }
  return results;
}

async function comparedOnPostgres(small: Log, count: number, partitions: Partitions): Promise<Result[]> {
  const dialect = partitions ? "partitioned postgres" : "postgres";
  const server = await startPostgres({ durable: false, cacheMb: 1024 });
  try {
    const large = { data: await filledAnew(server.url, count, partitions), count };
    const results = sizeRows(`on ${dialect}`, await sizeOfPostgres(server.url), count);
    results.push(
      ...(await compared(dialect, small, large)),
      await appendRate(dialect, small, large),
      await firstRecall(dialect, small, large),
    );
    await large.data.close();
    return results;
  } finally {
    await server.stop();
  }
}

async function filled(place: Place, name: string, count: number): Promise<Log> {
  const path = place.path(`${name}.db`);
  const data = await open(`sqlite:${path}`);
  await seedProjects(data);
  await fillFile(data, path, count);
  const plain = new Database(path, { readonly: true });
  plain.run(`pragma cache_size = -${cacheKib}`);
  return { data, count, plain };
}

async function closed({ data, plain }: Log): Promise<void> {
  plain?.close();
  await data.close();
}

async function filledAnew(url: string, count: number, partitions: Partitions): Promise<Data> {
  const empty = await openData(url, { now, log() {}, partitions });
  await seedProjects(empty);
  await appendSamples(empty);
  await empty.close();
  await fillPostgres(url, count);
  const sql = new SQL(url, { max: 1 });
  await sql.unsafe("vacuum analyze"); // as Postgres does by itself, some time later
  await sql.close();
  return open(url);
}

async function compared(dialect: string, small: Log, large: Log): Promise<Result[]> {
  const results: Result[] = [];
  for (const log of [small, large])
    log.recent = (await log.data.feed(null, { limit: 31 })).map(({ ts }) => ts);
  for (const [name, read] of Object.entries(reads)) {
    if (name.endsWith("SQLite alone") && dialect !== "sqlite") continue;
    const measure = `${dialect}, ${large.count} events against ${small.count}: ${name}`;
    const took = await timesOf(read, small, large).catch((error: Error) => error);
    if (took instanceof Error) {
      process.stderr.write(`${name}: ${took.message}\n`);
      const failed = { svc: took.message, ceiling: "", ratio: Number.POSITIVE_INFINITY, amount: patienceMs };
      results.push({ ...failed, measure, aim: "an answer", reached: false });
      continue;
    }
    const [ours, theirs] = [median(took.large), median(took.small)];
    process.stderr.write(`${name}: ${ours.toFixed(3)} ms, ${theirs.toFixed(3)} ms with ${small.count}\n`);
    const ratio = ours / theirs;
    results.push({
      ...{ measure, svc: `${ours.toFixed(3)} ms`, ceiling: `${theirs.toFixed(3)} ms` },
      ...{
        ratio,
        amount: ours,
        aim: `at most ${ratioMost} times the small log`,
        reached: ratio <= ratioMost,
      },
    });
  }
  return results;
}

/** How long a read takes on each log, in turns. */
async function timesOf(read: Read, small: Log, large: Log): Promise<Record<"small" | "large", number[]>> {
  const took: Record<"small" | "large", number[]> = { small: [], large: [] };
  // What is asked for lies in the memory of the system, or it would be the disk that is measured; and the
  // code is compiled.
  for (let call = -early * calls, begun = performance.now(); call < calls; call++) {
    const isLong = performance.now() - begun > patienceMs;
    if (isLong && call < 0) call = 0;
    else if (isLong && took.large.length >= leastCalls) break;
    for (const [which, log] of [
      ["small", small],
      ["large", large],
    ] as const) {
      const start = performance.now();
      await read(log, Math.abs(call) % calls);
      if (call >= 0) took[which].push(performance.now() - start);
    }
  }
  return took;
}

/**
 * Two verbs of the log, of which each event has one: the middle one of all pairs, none of which was asked for
 * before.
 */
async function firstRecall(dialect: string, small: Log, large: Log): Promise<Result> {
  const pairs = verbs.flatMap((verb, index) => verbs.slice(index + 1).map((other) => `${verb} ${other}`));
  const took = async (log: Log) => {
    for (const verb of verbs) await recall(ctx(log), { query: verb }, adminCaller);
    const times: number[] = [];
    for (const query of pairs) {
      const start = performance.now();
      await recall(ctx(log), { query }, adminCaller);
      times.push(performance.now() - start);
    }
    return median(times);
  };
  const [theirs, ours] = [await took(small), await took(large)];
  return {
    ...{
      measure: `${dialect}, ${large.count} events against ${small.count}: recall, two that never meet, the first time`,
      svc: `${ours.toFixed(3)} ms`,
      ceiling: `${theirs.toFixed(3)} ms`,
    },
    ...{ ratio: ours / theirs, amount: ours, aim: "none", reached: true },
  };
}

async function appendRateOfFile(place: Place, small: Log, large: Log): Promise<Result> {
  // A copy: the small one is compared again.
  const copy = place.path("copy.db");
  new Database(place.path("small.db")).run("vacuum into ?", [copy]);
  const data = await open(`sqlite:${copy}`);
  const result = await appendRate("sqlite", { ...small, data }, large);
  await data.close();
  await Bun.file(copy).delete();
  return result;
}

/** How fast each of them takes more events, through the data layer, in batches. */
async function appendRate(dialect: string, small: Log, large: Log): Promise<Result> {
  const rateOf = (log: Log) => {
    const from = log.count + (log.appended ?? 0);
    log.appended = (log.appended ?? 0) + more / 10;
    return appendMore(log.data, from, more / 10, log.count);
  };
  const rates: Record<"small" | "large", number[]> = { small: [], large: [] };
  for (let batch = 0; batch < 10; batch++) {
    rates.small.push(await rateOf(small));
    rates.large.push(await rateOf(large));
  }
  const [ours, theirs] = [median(rates.large), median(rates.small)];
  return {
    ...{
      measure: `${dialect}, events appended per second with ${large.count} in the log`,
      svc: `${ours.toFixed(0)} events/s`,
      ceiling: `${theirs.toFixed(0)} events/s`,
    },
    ...{
      ratio: ours / theirs,
      amount: 1 / ours,
      aim: "at least 0.8 times the small log",
      reached: ours / theirs >= 0.8,
    },
  };
}
