/**
 * What a log costs when it has grown: the median of every read on it beside that of the same read on a small
 * one, in turns; bytes for each event; how fast it takes more. Numbers on the command line are its sizes, the
 * first one the small one.
 */
import { Database } from "bun:sqlite";
import { SQL } from "bun";
import { readCacheKib } from "../../../db/engine/sqlite.ts";
import { openData } from "../../../db/open.ts";
import type { Data } from "../../../src/api/port.ts";
import { adminCaller } from "../../../src/core/auth/caller.ts";
import { recall } from "../../../src/memory/recall/recall.ts";
import { startPostgres } from "../../support/database/postgres.ts";
import { sizeOfFile, sizeOfPostgres, sizeRows } from "../measuring/database-size.ts";
import { median, type Options, type Place, type Result } from "../measuring/measure.ts";
import { calls, ctx, type Log, reads } from "./growth-reads.ts";
import { appendMore, fillFile, verbs } from "./long-log.ts";
import { fillPostgres } from "./long-log-postgres.ts";
import { seedProjects } from "./seed-projects.ts";

const quick = [10_000, 200_000];
/** So often everything is read before. */
const early = 4;
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
    results.push(await firstRecall("sqlite", small, large), await appendRate(place, small, large));
    results.push(...sizeRows("in one file", sizeOfFile(place.path("large.db")), count));
    await closed(large);
    await Bun.file(place.path("large.db")).delete();
  }
  await closed(small);
  return results;
}

export async function measureGrowthOnPostgres(
  _place: Place,
  _svc: string,
  { sizes: [least = 0, ...larger] = quick }: Options,
): Promise<Result[]> {
  const results: Result[] = [];
  const server = await startPostgres({ durable: false, cacheMb: 1024 });
  try {
    const small = { data: await filledAnew(server.url, least), count: least };
    for (const count of larger) results.push(...(await comparedOnPostgres(small, count)));
    await small.data.close();
  } finally {
    await server.stop();
  }
  return results;
}

async function comparedOnPostgres(small: Log, count: number): Promise<Result[]> {
  const server = await startPostgres({ durable: false, cacheMb: 1024 });
  try {
    const large = { data: await filledAnew(server.url, count), count };
    const results = [
      ...(await compared("postgres", small, large)),
      await firstRecall("postgres", small, large),
    ];
    results.push(...sizeRows("on Postgres", await sizeOfPostgres(server.url), count));
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
  plain.run(`pragma cache_size = -${readCacheKib}`);
  return { data, count, plain };
}

async function closed({ data, plain }: Log): Promise<void> {
  plain?.close();
  await data.close();
}

async function filledAnew(url: string, count: number): Promise<Data> {
  const data = await open(url);
  await seedProjects(data);
  await fillPostgres(data, url, count);
  const sql = new SQL(url, { max: 1 });
  await sql.unsafe("vacuum analyze"); // as Postgres does by itself, some time later
  await sql.close();
  return data;
}

async function compared(dialect: string, small: Log, large: Log): Promise<Result[]> {
  const results: Result[] = [];
  for (const log of [small, large])
    log.recent = (await log.data.feed(null, { limit: 31 })).map(({ ts }) => ts);
  for (const [name, read] of Object.entries(reads)) {
    if (name.endsWith("SQLite alone") && dialect !== "sqlite") continue;
    const took: Record<"small" | "large", number[]> = { small: [], large: [] };
    // What is asked for lies in the memory of the system, or it would be the disk that is measured; and the
    // code is compiled.
    for (let call = -early * calls; call < calls; call++)
      for (const [which, log] of [
        ["small", small],
        ["large", large],
      ] as const) {
        const start = performance.now();
        await read(log, Math.abs(call) % calls);
        if (call >= 0) took[which].push(performance.now() - start);
      }
    const [ours, theirs] = [median(took.large), median(took.small)];
    const ratio = ours / theirs;
    results.push({
      ...{
        measure: `${dialect}, ${large.count} events against ${small.count}: ${name}`,
        svc: `${ours.toFixed(3)} ms`,
        ceiling: `${theirs.toFixed(3)} ms`,
      },
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

/** How fast each of them takes more events, through the data layer, in batches. */
async function appendRate(place: Place, small: Log, large: Log): Promise<Result> {
  // A copy: the small one is compared again.
  const copy = place.path("copy.db");
  new Database(place.path("small.db")).run("vacuum into ?", [copy]);
  const data = await open(`sqlite:${copy}`);
  const rates: Record<"small" | "large", number[]> = { small: [], large: [] };
  for (let at = 0; at < more; at += more / 10) {
    rates.small.push(await appendMore(data, small.count + at, more / 10, small.count));
    rates.large.push(await appendMore(large.data, large.count + at, more / 10, large.count));
  }
  await data.close();
  await Bun.file(copy).delete();
  const [ours, theirs] = [median(rates.large), median(rates.small)];
  return {
    ...{
      measure: `sqlite, events appended per second with ${large.count} in the log`,
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
