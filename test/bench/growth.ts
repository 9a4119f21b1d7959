/**
 * What a log costs when it has grown: the median of every read on it beside that of the same read on a small
 * one, in turns; bytes for each event; how fast it takes more. Numbers on the command line are its sizes, the
 * first one the small one.
 */
import { Database } from "bun:sqlite";
import { SQL } from "bun";
import { readCacheKib } from "../../db/engine/sqlite.ts";
import { openData } from "../../db/open.ts";
import { adminCaller } from "../../src/auth/caller.ts";
import { readConfig } from "../../src/config.ts";
import type { Context } from "../../src/context.ts";
import type { Data } from "../../src/data.ts";
import { type GroupedQuery, groupedPage } from "../../src/feed/grouped.ts";
import { dayMicros, dayOf } from "../../src/lib/time.ts";
import { recall } from "../../src/memory/recall.ts";
import { getProject } from "../../src/projects/projects.ts";
import { startPostgres } from "../support/postgres.ts";
import { appendMore, fillFile, furnish, silent, slugOf, timeOf, verbs } from "./grown.ts";
import { fillPostgres } from "./grown-postgres.ts";
import { median, type Place, type Result } from "./measure.ts";

const quick = [10_000, 200_000];
const calls = 200;
/** So often everything is read before. */
const early = 4;
const ratioMost = 1.5;
const more = 20_000;
const now = () => Date.now() * 1000;
const open = (url: string) => openData(url, { now, log() {} });

interface Log {
  data: Data;
  count: number;
  /** Times of the newest events, the newest first. */
  recent?: number[];
  /** The same file without us. */
  plain?: Database;
}

type Read = (log: Log, call: number) => Promise<unknown>;

/** An instant of the log, another one for each call. */
const recently = ({ recent = [] }: Log, back: number): number => recent[back] as number;

const instant = ({ count }: Log, call: number): number =>
  timeOf(Math.floor((((call * 7919) % calls) / calls) * 0.8 * count + 0.2 * count));

/** What SQLite alone takes for it. */
const plainly = ({ plain }: Log, field: "kind" | "project", value: string, before: number) =>
  plain
    ?.query(`select wire from events where ${field} = ? and ts < ? order by ts desc limit ?`)
    .all(value, before, limit);

const [busy, also, third] = [slugOf(0), slugOf(1), slugOf(2)];
const agent = `agent:${busy}-1`;
/** Of those who are in one lane the busiest: the small log has whole pages of them as well. */
const [resident, lane] = [`agent:${also}-1`, "lane_b"];
const limit = 50;
const ctx = ({ data }: Log) => ({ data, now }) as Context; // safe because: these reads ask for nothing else

const config = readConfig({});
const grouped = ({ data }: Log, query: Omit<GroupedQuery, "limit">) =>
  groupedPage({ data, config }, { ...query, limit }, adminCaller);

const reads: Record<string, Read> = {
  "feed, newest page": ({ data }) => data.feed(null, { limit }),
  "feed, any page": (log, call) => log.data.feed(null, { before: instant(log, call), limit }),
  "feed, what is new": (log) => log.data.feed(null, { after: recently(log, 20), limit }),
  "feed with runs, newest page": (log) => grouped(log, {}),
  "feed with runs, any page": (log, call) => grouped(log, { before: instant(log, call) }),
  "feed with runs of a project, any page": (log, call) =>
    grouped(log, { project: busy, before: instant(log, call) }),
  project: ({ data }) => data.feed(null, { project: busy, limit }),
  "project, any page": (log, call) =>
    log.data.feed(null, { project: busy, before: instant(log, call), limit }),
  "project, any page, SQLite alone": async (log, call) => plainly(log, "project", busy, instant(log, call)),
  "project that fell silent": ({ data }) => data.feed(null, { project: silent, limit }),
  kind: ({ data }) => data.feed(null, { kind: "step.usage", limit }),
  "kind, any page": (log, call) =>
    log.data.feed(null, { kind: "run.finished", before: instant(log, call), limit }),
  "kind, any page, SQLite alone": async (log, call) =>
    plainly(log, "kind", "run.finished", instant(log, call)),
  actor: ({ data }) => data.feed(null, { actor: agent, limit }),
  "lane, any page": (log, call) => log.data.feed(null, { lane: "lane_b", before: instant(log, call), limit }),
  "project and kind": ({ data }) => data.feed(null, { project: busy, kind: "step.usage", limit }),
  "project and a rarer kind": ({ data }) => data.feed(null, { project: also, kind: "pr.review", limit }),
  "project and a kind it never had": ({ data }) =>
    data.feed(null, { project: busy, kind: "preview.failed", limit }),
  "project and another's actor": ({ data }) => data.feed(null, { project: also, actor: agent, limit }),
  "kind and lane": ({ data }) => data.feed(null, { kind: "step.usage", lane: "lane_a", limit }),
  "kind and lane, any page": (log, call) =>
    log.data.feed(null, { kind: "pr.merged", lane: "lane_a", before: instant(log, call), limit }),
  "actor and lane, any page": (log, call) =>
    log.data.feed(null, { actor: resident, lane, before: instant(log, call), limit }),
  "all four": ({ data }) =>
    data.feed(null, { project: busy, kind: "step.usage", actor: agent, lane: "lane_a", limit }),
  "three projects": ({ data }) => data.feed([busy, also, silent], { limit }),
  "three projects and a kind": ({ data }) =>
    data.feed([busy, silent, third], { kind: "run.finished", limit }),
  "stream, from a place": (log) =>
    log.data.feed(null, { order: "oldest first", after: recently(log, 30), limit }),
  "page of a project": (log) => getProject(ctx(log), busy, adminCaller),
  "page of one that fell silent": (log) => getProject(ctx(log), silent, adminCaller),
  "usage since yesterday": (log) => log.data.usage(busy, dayOf(timeOf(log.count) - dayMicros)),
  projects: ({ data }) => data.projects(null, { limit }),
  decisions: ({ data }) => data.currentDecisions(busy, limit),
  "recall, words that are everywhere": (log) => recall(ctx(log), { query: "parser tested" }, adminCaller),
  "recall, a word that is everywhere": (log) => recall(ctx(log), { query: "parser" }, adminCaller),
  "recall, the beginning of a word": (log) => recall(ctx(log), { query: "importer ren" }, adminCaller),
  "recall, a typing error": (log) => recall(ctx(log), { query: "schedulre" }, adminCaller),
  "recall, a rare word": (log) => recall(ctx(log), { query: "heliograph" }, adminCaller),
  "recall, a rare word and one that is everywhere": (log) =>
    recall(ctx(log), { query: "heliograph ledger" }, adminCaller),
  "recall, two that are everywhere and never meet, asked again": (log) =>
    recall(ctx(log), { query: "renderer queue" }, adminCaller),
  "recall, of a project": (log) =>
    recall(ctx(log), { query: "decision on the tide table", project: busy }, adminCaller),
};

export async function measureGrowth(place: Place, _svc: string, sizes = quick): Promise<Result[]> {
  const [least = 0, ...larger] = sizes;
  const small = await filled(place, "small", least);
  const results: Result[] = [];
  for (const count of larger) {
    const large = await filled(place, "large", count);
    results.push(...(await compared("sqlite", small, large)));
    results.push(await foundFirst("sqlite", small, large), await taken(place, small, large));
    results.push(...bytesIn(place.path("large.db"), count));
    await closed(large);
    await Bun.file(place.path("large.db")).delete();
  }
  await closed(small);
  return results;
}

export async function measureGrowthOnPostgres(
  _place: Place,
  _svc: string,
  [least = 0, ...larger] = quick,
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
      await foundFirst("postgres", small, large),
    ];
    results.push(...(await bytesOnPostgres(server.url, count)));
    await large.data.close();
    return results;
  } finally {
    await server.stop();
  }
}

async function filled(place: Place, name: string, count: number): Promise<Log> {
  const path = place.path(`${name}.db`);
  await (await open(`sqlite:${path}`)).close();
  await fillFile(path, count);
  const data = await open(`sqlite:${path}`);
  await furnish(data);
  await data.rebuildDerivedRows(["counters", "issues", "usage"]);
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
  await fillPostgres(url, count);
  await furnish(data);
  await data.rebuildDerivedRows(["counters", "issues", "usage"]);
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
      ...{ ratio, aim: `at most ${ratioMost.toFixed(2)} x`, reached: ratio <= ratioMost },
    });
  }
  return results;
}

/**
 * Two verbs of the log, of which each event has one: the middle one of all pairs, none of which was asked for
 * before.
 */
async function foundFirst(dialect: string, small: Log, large: Log): Promise<Result> {
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
    ...{ ratio: ours / theirs, aim: "none", reached: true },
  };
}

/** How fast each of them takes more events, through the data layer, in batches. */
async function taken(place: Place, small: Log, large: Log): Promise<Result> {
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
      measure: `sqlite, events taken in a second by ${large.count}`,
      svc: ours.toFixed(0),
      ceiling: theirs.toFixed(0),
    },
    ...{ ratio: ours / theirs, aim: "at least 0.80 x", reached: ours / theirs >= 0.8 },
  };
}

const sizeOf = (where: string, bytes: number, count: number): Result => ({
  ...{
    measure: `bytes for an event, ${where}`,
    svc: (bytes / count).toFixed(1),
    ceiling: "",
    ratio: 1,
    aim: "none",
    reached: true,
  },
});

function bytesIn(path: string, count: number, how = "in one file"): Result[] {
  const database = new Database(path, { readonly: true });
  const { bytes: used } = database
    .query(
      "select (page_count - freelist_count) * page_size as bytes from pragma_page_count, pragma_freelist_count, pragma_page_size",
    )
    .get() as { bytes: number };
  // Reading the pages of many gigabytes would take longer than all of the rest.
  const query =
    "select name, sum(pgsize) as bytes from dbstat group by name having bytes > ? order by bytes desc";
  const parts =
    count > partsMost ? [] : database.query<{ name: string; bytes: number }, [number]>(query).all(count);
  database.close();
  return [
    sizeOf(`${count} events ${how}`, used, count),
    ...parts.map(({ name, bytes }) => sizeOf(name, bytes, count)),
  ];
}
const partsMost = 2_000_000;

async function bytesOnPostgres(url: string, count: number): Promise<Result[]> {
  const sql = new SQL(url, { max: 1 });
  const parts: { name: string; bytes: string }[] = await sql.unsafe(
    `select relname as name, pg_relation_size(oid) as bytes from pg_class
     where relkind in ('r', 'i', 't') and pg_relation_size(oid) > ${count} order by 2 desc`,
  );
  await sql.close();
  const all = parts.reduce((sum, { bytes }) => sum + Number(bytes), 0);
  return [
    sizeOf(`${count} events on Postgres`, all, count),
    ...parts.map(({ name, bytes }) => sizeOf(name, Number(bytes), count)),
  ];
}
